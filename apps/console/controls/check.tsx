import css from './check.module.css';

interface Props {
  label: string;
  isChecked: boolean;
  onToggle: () => void;
}

/** A box to tick, with its words. */
export function Check({ label, isChecked, onToggle }: Props) {
  return (
    <label className={css.check}>
      <input type="checkbox" checked={isChecked} onChange={onToggle} />
      {label}
    </label>
  );
}
