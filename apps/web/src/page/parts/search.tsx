interface Search {
  /** What is searched, in words. */
  label: string;
  /** What stands in it while it is empty, where that is not the label. */
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
}

/** A field to search with; `/` puts the cursor into the first of a page. */
export function SearchField({ label, placeholder = label, value, onChange }: Search) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
