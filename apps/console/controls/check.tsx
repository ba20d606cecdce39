import css from './check.module.css';

interface Props {
  label: string;
  isChecked: boolean;
  isDisabled?: boolean;
  onToggle: () => void;
}

/** A box to tick, with its words. */
export function Check({ label, isChecked, isDisabled = false, onToggle }: Props) {
  return (
    <label className={css.check}>
      <input type="checkbox" checked={isChecked} disabled={isDisabled} onChange={onToggle} />
      {label}
    </label>
  );
}
