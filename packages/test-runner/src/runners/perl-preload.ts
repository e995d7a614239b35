import { REPORTS_VARIABLE } from "./runner.ts";

/** Stands in PERL5OPT by this name, and is found by PERL5LIB. */
export const PERL_PRELOAD = "CcwLoopPreload";

/**
 * Extends the harness of Perl, which prove, "make test" and "Build test" all use: one line for each test that it has read
 * in the TAP of a file (`reports/event-lines.ts`), and one for a file that did not end well. The variable is taken out
 * of the environment of the harness: what tests start is asked for nothing.
 */
const SOURCE = String.raw`package CcwLoopPreload;
use strict;
use warnings;

my $folder = $ENV{${REPORTS_VARIABLE}};
my $runs = 0;
my $hook;
$hook = sub {
    my (undef, $name) = @_;
    return unless $name eq 'TAP/Harness.pm';
    @INC = grep { !ref $_ || $_ != $hook } @INC;
    for my $path (map { "$_/$name" } grep { !ref $_ } @INC) {
        next unless -f $path;
        open my $file, '<', $path or return;
        $INC{$name} = $path;
        my $first = qq{package TAP::Harness; CcwLoopPreload::extend();\n#line 1 "$path"\n};
        return (\$first, $file);
    }
    return;
};
unshift @INC, $hook if defined $folder && length $folder;

sub extend {
    no warnings 'redefine';
    delete $ENV{${REPORTS_VARIABLE}};
    my $aggregate_tests = \&TAP::Harness::aggregate_tests;
    *TAP::Harness::aggregate_tests = sub {
        my ($harness, @given) = @_;
        $runs += 1;
        open my $out, '>', "$folder/perl-$$-$runs.ndjson" or die "CCW Loop: $!";
        $out->autoflush(1);
        my @parsers;
        $harness->callback(made_parser => sub {
            my ($parser, $job) = @_;
            my $file = ref $job eq 'ARRAY' ? $job->[0] : $job->filename;
            push @parsers, [$file, $parser];
            $parser->callback(test => sub { add($out, $file, $_[0]) });
        });
        my @results = $aggregate_tests->($harness, @given);
        add_problems($out, @$_) for @parsers;
        print {$out} qq({"end": true}\n);
        close $out;
        return wantarray ? @results : $results[0];
    };
}

sub add {
    my ($out, $file, $test) = @_;
    my $name = $test->description;
    $name =~ s/^- //;
    $name = 'test ' . $test->number unless length $name;
    my $status = $test->has_skip || $test->has_todo ? 'skipped' : $test->is_ok ? 'passed' : 'failed';
    line($out, $file, $name, $status, $status eq 'failed' ? $test->as_string : '');
}

# What is wrong with a file beside its failed tests.
sub add_problems {
    my ($out, $file, $parser) = @_;
    my @said = $parser->parse_errors;
    my $ended = $parser->wait // $parser->exit // 0;
    my $how = $ended & 127 ? 'by signal ' . ($ended & 127) : 'with ' . ($ended >> 8);
    push @said, "It ended $how." if $ended && !$parser->failed;
    line($out, $file, '(file)', 'failed', join "\n", @said) if @said;
    line($out, $file, '(file)', 'skipped', '') if !@said && !$ended && $parser->skip_all;
}

sub line {
    my ($out, $file, $name, $status, $message) = @_;
    $file =~ s{^\./}{};
    my ($known, $called, $text) = map { quoted($_) } $file, $name, $message;
    print {$out} qq({"name": $called, "file": $known, "parents": [], "status": "$status", "duration_ms": 0, "message": $text, "stack": ""}\n);
}

sub quoted {
    my $text = substr shift, 0, 4000;
    utf8::encode($text) if utf8::is_utf8($text);
    $text =~ s/(["\\\x00-\x1f\x7f])/sprintf '\\u%04x', ord $1/ge;
    return qq("$text");
}

1;
`;

export const PERL_FILES = { [`${PERL_PRELOAD}.pm`]: SOURCE };
