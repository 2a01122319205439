# SPDX-License-Identifier: GPL-2.0-or-later
#
# Subs a, b and c whose parts of each section's time are 50, 30 and 20: script-shares.pl ROUNDS
use strict;
use warnings;

my $rounds = shift;

sub spin_a { my ($n) = @_; for my $j (1 .. $n) { my $i = 0; $i++ while $i < 100 } return 0 }
sub spin_b { my ($n) = @_; for my $j (1 .. $n) { my $i = 0; $i++ while $i < 100 } return 0 }
sub spin_c { my ($n) = @_; for my $j (1 .. $n) { my $i = 0; $i++ while $i < 100 } return 0 }

sub section_plain {
	for (1 .. $rounds) {
		spin_a(50);
		spin_b(30);
		spin_c(20);
	}
}

sub descend {
	my ($n, $work) = @_;
	return $n ? descend($n - 1, $work) : $work->();
}

sub section_recursion {
	for (1 .. $rounds) {
		descend(20, sub { spin_a(50) });
		descend(20, sub { spin_b(30) });
		descend(5, sub { spin_c(20) });
	}
}

sub section_callbacks {
	for (1 .. $rounds) {
		my @sorted = sort { spin_a(50) } 2, 1;
		(my $text = 'x') =~ s/x/spin_b(30)/e;
		my @mapped = map { eval { spin_c(20) } } 1;
	}
}

package Tied {
	sub TIESCALAR { return bless [], shift }
	sub FETCH { return main::spin_b(30) }
}

package Added {
	use overload '+' => sub { main::spin_a(50) };
}

package main;

sub section_objects {
	tie my $tied, 'Tied';
	my $added = bless [], 'Added';
	for (1 .. $rounds) {
		my $x = $added + 1;
		$x = $tied;
		$x = eval 'spin_c(20)';
	}
}

section_plain();
section_recursion();
section_callbacks();
section_objects();
