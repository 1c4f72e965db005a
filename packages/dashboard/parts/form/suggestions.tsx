import { useId } from 'react';
import { TextField } from './fields.tsx';

/** A text to type, with suggestions: a value, and a label that says what it is. Any other text is possible. */
export function SuggestedText({
  suggestions,
  ...field
}: React.ComponentProps<typeof TextField> & {
  suggestions: readonly { value: string; label?: string | undefined }[];
}) {
  const list = useId();
  return (
    <>
      <TextField list={list} autoComplete="off" {...field} />
      <datalist id={list}>
        {suggestions.map(({ value, label }) => (
          <option key={value} value={value} label={label} />
        ))}
      </datalist>
    </>
  );
}
