import css from './check.module.css';

interface Props {
  label: string;
  isChecked: boolean;
  isDisabled?: boolean;
  /** A change is being saved: the box keeps the focus and ignores clicks. */
  isPending?: boolean;
  onToggle: () => void;
}

/** A box to tick, with its words. */
export function Check({ label, isChecked, isDisabled = false, isPending = false, onToggle }: Props) {
  return (
    <label className={css.check}>
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        aria-disabled={isPending || undefined}
        onChange={() => {
          if (!isPending) onToggle();
        }}
      />
      {label}
    </label>
  );
}
