# SPDX-License-Identifier: GPL-2.0-or-later
# Calls and returns all the time, in many ways, until it is ended.
use strict;
use warnings;

sub fibonacci { my ($n) = @_; return $n < 2 ? $n : fibonacci($n - 1) + fibonacci($n - 2); }
sub compare { return $a <=> $b; }
sub make { my ($class, $n) = @_; return bless { n => $n }, $class; }
sub half { my ($self) = @_; return $self->{n} / 2; }
sub throwing { my ($n) = @_; die "thrown\n" if $n == 0; return throwing($n - 1); }

sub work {
	fibonacci(6);
	my @sorted = sort compare map { $_ * 7 % 5 } 0 .. 8;
	my @halves = map { main->make($_)->half() } 0 .. 4;
	eval { throwing(5) };
	my $closure = sub { return fibonacci($_[0]) };
	$closure->(4);
	(my $text = "abc") =~ s/([ab])/fibonacci(length $1)/ge;
	&fibonacci(3);
}

work() while 1;
