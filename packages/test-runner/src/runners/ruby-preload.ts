import { REPORTS_VARIABLE } from "./runner.ts";

/** Stands in RUBYOPT by this name, and is found by RUBYLIB. */
export const RUBY_PRELOAD = "ccw_loop_preload";

/**
 * Extends minitest, test-unit and RSpec where they are loaded, by whatever starts them: one line for each test
 * (`reports/event-lines.ts`), and an end line only where the run came to its end by itself. It loads no library, for
 * the project chooses their versions. The variable is taken out of the environment of the process that runs tests:
 * what these start is asked for nothing.
 */
const SOURCE = String.raw`# frozen_string_literal: true

module CcwLoopPreload
  FOLDER = ENV["${REPORTS_VARIABLE}"]
  STATUSES = { "Failure" => "failed", "Error" => "failed", "Pending" => "skipped", "Omission" => "skipped" }.freeze

  class << self
    # Before the first test: a process that ends without an end line is cut off.
    def begin_run
      return if @file
      ENV.delete("${REPORTS_VARIABLE}")
      @runs = (@runs || 0) + 1
      @failed = false
      @file = File.open(File.join(FOLDER, "ruby-#{Process.pid}-#{@runs}.ndjson"), "w")
      @file.sync = true
      @owner = Process.pid
    end

    def end_run
      return unless @file && @owner == Process.pid
      @file.write("{\"end\": true}\n")
      @file.close
      @file = nil
    end

    def failed?
      @failed
    end

    def add(name:, place:, parents:, status:, seconds: 0, message: "", stack: [])
      begin_run
      @failed ||= status == "failed"
      file = place && place[0] ? File.expand_path(place[0].to_s) : ""
      pairs = [
        ["name", text(name, 2000)], ["file", text(file, 2000)],
        ["parents", "[#{parents.map { |one| text(one, 1000) }.join(", ")}]"], ["status", text(status, 20)],
        ["duration_ms", (seconds.to_f * 1000).round(3).to_s],
        ["message", text(message, 8192)], ["stack", text([message, *stack].join("\n"), 8192)],
      ]
      @file.write("{#{pairs.map { |key, value| "\"#{key}\": #{value}" }.join(", ")}}\n")
    end

    def text(value, most)
      clean = value.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?")[0, most]
      "\"#{clean.gsub(/["\\\u0000-\u001f\u007f]/) { |one| format("\\u%04x", one.ord) }}\""
    end

    # What runs the tests is loaded.
    def stop_watching
      @tracer.disable
    end

    def watch
      @tracer = TracePoint.new(:end) { |point| extend_runner(point.self) }
      @tracer.enable
    end

    def extend_runner(loaded)
      return unless loaded.is_a?(Module)
      case Module.instance_method(:name).bind(loaded).call
      when "Minitest"
        once(:minitest) { loaded.singleton_class.prepend(MinitestRun) } if loaded.respond_to?(:init_plugins)
      when "Test::Unit::AutoRunner"
        # It runs the tests when the program is over, however that comes.
        once(:auto) { loaded.prepend(TestUnitAuto) && begin_run } if loaded.method_defined?(:run)
      when "Test::Unit::UI::TestRunnerMediator"
        once(:mediator) { loaded.prepend(TestUnitRun) } if loaded.method_defined?(:run)
      when "RSpec::Core::Runner"
        once(:runner) { loaded.prepend(RSpecSetup) } if loaded.method_defined?(:setup)
      when "RSpec::Core::Reporter"
        once(:reporter) { loaded.prepend(RSpecReport) } if loaded.method_defined?(:report)
      end
    end

    def once(name)
      @extended ||= {}
      yield unless @extended[name]
      @extended[name] = true
    end
  end

  # Reporters of a project may replace all others, so ours is added last.
  module MinitestRun
    def autorun(*)
      CcwLoopPreload.begin_run
      super
    end

    def init_plugins(options)
      CcwLoopPreload.begin_run
      CcwLoopPreload.stop_watching
      super
      reporter << MinitestReporter.new
    end

    # What the versions call the run of all suites. An interrupt ends it, but not the report.
    def __run(*)
      super.tap { MinitestReporter.complete }
    end

    def run_all_suites(*)
      super.tap { MinitestReporter.complete }
    end
  end

  class MinitestReporter
    class << self
      def complete
        @complete = true
      end

      def complete?
        @complete
      end
    end

    def start; end

    def prerecord(_class, _name); end

    def record(result)
      owner = result.respond_to?(:klass) ? result.klass : result.class.name
      place = result.respond_to?(:source_location) ? result.source_location : result.method(result.name).source_location
      status = result.passed? ? "passed" : result.skipped? ? "skipped" : "failed"
      failure = result.failures.first
      CcwLoopPreload.add(
        name: result.name, place: place, parents: [owner], status: status, seconds: result.time,
        message: failure ? failure.message : "", stack: failure ? failure.backtrace || [] : [],
      )
    end

    def report
      CcwLoopPreload.end_run if MinitestReporter.complete? || CcwLoopPreload.failed?
    end

    def passed?
      true
    end
  end

  module TestUnitAuto
    def run(*)
      CcwLoopPreload.begin_run
      super.tap { CcwLoopPreload.end_run }
    end
  end

  module TestUnitRun
    def run(*)
      CcwLoopPreload.begin_run
      CcwLoopPreload.stop_watching
      faults = Hash.new { |all, name| all[name] = [] }
      times = {}
      add_listener(::Test::Unit::TestResult::FAULT) { |fault| faults[fault.test_name] << fault }
      add_listener(::Test::Unit::TestCase::STARTED_OBJECT) { |test| times[test.name] = Time.now }
      add_listener(::Test::Unit::TestCase::FINISHED_OBJECT) do |test|
        write(test, faults.delete(test.name) || [], Time.now - (times.delete(test.name) || Time.now))
      end
      super.tap do
        faults.each { |name, left| left.each { |fault| write_fault(name, fault) } }
        CcwLoopPreload.end_run
      end
    end

    private

    def write(test, faults, seconds)
      worst = faults.map { |fault| [STATUSES[kind(fault)], fault] }.select(&:first).min_by(&:first)
      CcwLoopPreload.add(
        name: test.respond_to?(:local_name) ? test.local_name : test.method_name,
        place: test.method(test.method_name).source_location, parents: [test.class.name],
        status: worst ? worst[0] : "passed", seconds: seconds,
        message: worst ? worst[1].message : "", stack: worst ? Array(worst[1].location) : [],
      )
    end

    # Of a class that could not be prepared.
    def write_fault(name, fault)
      return unless STATUSES[kind(fault)] == "failed"
      CcwLoopPreload.add(name: name, place: nil, parents: [], status: "failed", message: fault.message, stack: Array(fault.location))
    end

    def kind(fault)
      fault.class.name.split("::").last
    end
  end

  module RSpecSetup
    def setup(*)
      CcwLoopPreload.begin_run
      super
    end
  end

  module RSpecReport
    def report(expected)
      CcwLoopPreload.begin_run
      CcwLoopPreload.stop_watching
      @ccw_loop_seen = 0
      super.tap { CcwLoopPreload.end_run if @ccw_loop_seen >= expected || CcwLoopPreload.failed? }
    end

    def example_passed(example)
      ccw_loop_add(example, "passed")
      super
    end

    def example_failed(example)
      ccw_loop_add(example, "failed")
      super
    end

    def example_pending(example)
      ccw_loop_add(example, "skipped")
      super
    end

    def notify_non_example_exception(exception, description)
      file = description.to_s[/while loading (.+?)\.?\s*\z/, 1]
      CcwLoopPreload.add(
        name: file ? "(file)" : "(outside of the tests)", place: [file], parents: [], status: "failed",
        message: "#{description}#{exception.message}", stack: exception.backtrace || [],
      )
      super
    end

    private

    def ccw_loop_add(example, status)
      @ccw_loop_seen += 1
      failure = status == "failed" ? example.exception : nil
      CcwLoopPreload.add(
        name: example.full_description, place: [example.file_path], parents: [], status: status,
        seconds: example.execution_result.run_time || 0,
        message: failure ? failure.message : "", stack: failure ? failure.backtrace || [] : [],
      )
    end
  end

  watch if FOLDER && !FOLDER.empty?
end
`;

export const RUBY_FILES = { [`${RUBY_PRELOAD}.rb`]: SOURCE };
