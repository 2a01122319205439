# SPDX-License-Identifier: GPL-2.0-or-later
#
# Comes to one sub in many ways, and each time lets the runtime itself say the stack before it works
# there: script-stacks.pl DUMP LOOPS.  With 0 loops it waits for a line instead.
use strict;
use warnings;

my ($dump, $loops) = @ARGV;
open(my $out, '>', $dump) or die "$dump: $!";
$out->autoflush(1);
@ARGV = ();

# The caller of each frame is where the next one is; evals of blocks are a part of their sub.
sub leaf {
	my ($way) = @_;
	my $text = "=== $way\n";
	my $name = '';
	my $depth = 0;
	while (1) {
		my @frame = caller($depth);
		my $inner = (caller($depth))[3];
		last unless @frame;
		my $is_block = $frame[3] eq '(eval)' && !defined $frame[6];
		if ($depth == 0) {
			$text .= "main::leaf\t$0\t0\n";
		}
		# The line of a frame is where it called the one before.
		my $outer = $depth + 1;
		my @next = caller($outer);
		$outer++, @next = caller($outer) while @next && $next[3] eq '(eval)' && !defined $next[6];
		my $function = !@next || $next[3] eq '(eval)' ? '<main>' : $next[3];
		$text .= "$function\t$frame[1]\t$frame[2]\n";
		$depth = $outer;
	}
	print $out $text, "---\n";
	readline(STDIN) if $loops == 0;
	for my $j (1 .. $loops) {
		my $i = 0;
		$i++ while $i < 200;
	}
	return 0;
}

sub descend {
	my ($n) = @_;
	return $n ? descend($n - 1) : leaf('recursion');
}

package Thing {
	use overload '+' => sub { main::leaf('overloaded +'); 1 }, '""' => \&text, '<=>' => sub { main::leaf('overloaded <=>') },
		'@{}' => sub { main::leaf('overloaded @{}'); [] }, 'bool' => sub { main::leaf('overloaded bool'); 1 };
	our $AUTOLOAD;

	sub new { return bless {}, shift }
	sub text { main::leaf('overloaded ""'); return 'x' }
	sub method { return main::leaf('method') }
	sub can_do { my $self = shift; return $self->$_() for 'method' }

	sub AUTOLOAD {
		main::leaf('AUTOLOAD') if $AUTOLOAD =~ /missing/;
		return 0;
	}
}

package Derived {
	our @ISA = ('Thing');
	sub method { my $self = shift; return $self->SUPER::method() }
	sub DESTROY { main::leaf('DESTROY') }
}

package Tied {
	sub TIESCALAR { return bless [], shift }
	sub FETCH { main::leaf('FETCH'); return 1 }
	sub STORE { main::leaf('STORE') }
	sub TIEHASH { return bless [], shift }
	sub FIRSTKEY { main::leaf('FIRSTKEY'); return undef }
	sub EXISTS { main::leaf('EXISTS') }
}

package main;

sub with_prototype(&@) { my $code = shift; return $code->(@_) }
sub compare { leaf('sort by a sub'); return 0 }
sub lvalue : lvalue { leaf('lvalue'); my $x }
sub passes { return &leaf }
sub goes { @_ = ('goto'); goto &leaf }
sub evaluates { return eval { leaf('eval of a block') } }
sub dies { return eval { die { code => sub { leaf('after die') } } ; 1 } || $@->{code}->() }
sub recurse_in_eval { my ($n) = @_; return eval { $n ? recurse_in_eval($n - 1) : leaf('recursion in evals') } }

sub by_objects {
	my $thing = Thing->new;
	$thing->method;
	$thing->can_do;
	$thing->missing;
	Thing->can('method')->($thing);
	my $sum = $thing + 1;
	my $text = "$thing";
	my $order = $thing <=> 1;
	my @all = @$thing;
	$sum = 1 if $thing;
	my $derived = Derived->new;
	$derived->method;
	undef $derived;
	tie my $scalar, 'Tied';
	$sum = $scalar;
	$scalar = 1;
	tie my %hash, 'Tied';
	my $any = keys %hash;
	$any = exists $hash{x};
}

sub by_builtins {
	my @sorted = sort compare 2, 1;
	@sorted = sort { leaf('sort by a block'); 0 } 2, 1;
	@sorted = sort { descend(2) } 2, 1;
	my @mapped = map { leaf('map') } 1;
	my @found = grep { leaf('grep') } 1;
	(my $text = 'x') =~ s/x/leaf('substitution')/e;
	'x' =~ /x(?{ leaf('code in a regular expression') })/;
	eval q{leaf('eval of text')};
	eval q{sub made { return leaf('made sub') } made()};
	do { leaf('do') };
	for my $i (1) { while (1) { if ($i) { leaf('loops'); last } } }
	local $SIG{__WARN__} = sub { leaf('__WARN__') };
	warn "x";
	local $SIG{__DIE__} = sub { leaf('__DIE__') };
	eval { die "x" };
	local $SIG{USR1} = sub { leaf('signal') };
	kill USR1 => $$;
	my $closure = do { my $x = 1; sub { return leaf('closure') } };
	$closure->();
	with_prototype { leaf('prototype') } 1;
	lvalue() = 1;
	passes('passed arguments');
	goes();
	evaluates();
	dies();
	recurse_in_eval(5);
	local @INC = (sub { leaf('require'); return });
	eval { require Not::There };
}

BEGIN {
	our $begun = 1;
}
leaf('outside of subs');
descend(30);
by_objects();
by_builtins();
require List::Util;
List::Util::first(sub { leaf('first') }, 1);
List::Util::reduce(sub { leaf('reduce') }, 1, 2);
END { leaf('END') }
