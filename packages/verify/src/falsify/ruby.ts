import {
  argumentsOf,
  type Code,
  closeOf,
  type Edit,
  expectedOf,
  type Mover,
  operandsOf,
  partsOf,
  type Range,
} from "./code.ts";

const PAIRS = /^[ \t]*assert_(?:equal|same)\b[ (]/gm;
const EXPECTED = /(?<=\.to\s+)(?:eq|eql|equal)\b[ (]|(?<=\.)must_equal\b[ (]/g;

/** Expected values in Ruby, under minitest, test-unit and RSpec. */
export const rubyMover: Mover = {
  handles: /\.rb$/,
  ends: "indent",
  quoted: /(?<=^|\s)#[^\n]*|"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'/gm,

  edits(code, call) {
    const pairs = [...code.bare.matchAll(PAIRS)].flatMap(({ 0: { length }, index }): Edit[] => {
      const [one, two] = operands(code, index + length - 1);
      if (!one || !two) return [];
      const text = `*${call(index)}${operandsOf(code, one, two, "true")})`;
      return [{ from: one.from, to: two.to, text }];
    });
    const expected = [...code.bare.matchAll(EXPECTED)].flatMap(
      ({ 0: { length }, index }): Edit[] => {
        const [one, more] = operands(code, index + length - 1);
        return !one || more
          ? []
          : [{ ...one, text: `${call(index)}${expectedOf(code, one, "true")})[0]` }];
      },
    );
    return [...pairs, ...expected];
  },

  helper: {
    at: ({ bare }) => Math.max(0, bare.search(/^(?:require|class|module|def|describe|[A-Z])/m)),
    text: (name, stops, stop) => `def ${name}(n, *given)
  ${stop === "end" ? "exit!(97)" : `raise ${JSON.stringify(stop.says)}`} if ${JSON.stringify(stops)}.include?(n)
  plain = ->(value) { [Numeric, String, Symbol, Array, Hash, NilClass, TrueClass, FalseClass].any? { |kind| kind === value } }
  other = lambda do |value|
    case value
    when true then false
    when false then true
    when Numeric then value + value.abs + 1
    when String then value + "k"
    when Symbol then :"#{value}k"
    when Array then value.empty? ? ["k"] : value.map(&other)
    when Hash then value.empty? ? { "k" => 1 } : value.transform_values(&other)
    when nil then Object.new
    else
      names = Kernel.instance_method(:instance_variables).bind(value).call
      next Object.new if names.empty? || value.frozen?
      value.dup.tap { |made| names.each { |key| made.instance_variable_set(key, other.call(value.instance_variable_get(key))) } }
    end
  rescue StandardError
    Object.new
  end
  one, two, is_moved = given
  return [one, two] if is_moved
  return [other.call(one)] if given.length == 1
  plain.call(one) || !plain.call(two) ? [other.call(one), two] : [one, other.call(two)]
end

`,
  },
};

/** Arguments in brackets, or else up to the end of the line. */
function operands(code: Code, at: number): Range[] {
  if (code.bare[at] === "(") return argumentsOf(code, at);
  let to = at;
  while (
    to < code.bare.length &&
    (code.bare[to] !== "\n" || /[,(]$/.test(code.bare.slice(at, to).trimEnd()))
  )
    to = "([{".includes(code.bare[to] as string)
      ? (closeOf(code, to) ?? code.bare.length - 1) + 1
      : to + 1;
  return partsOf(code, { from: at, to }, /,/);
}
