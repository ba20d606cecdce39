import css from './failure.module.css';

interface Props {
  /** Null until it has failed. */
  why: string | null;
  /** With a border and a background. */
  isFramed?: boolean;
}

/** Why an act was not done; it is read out when it comes. */
export function Failure({ why, isFramed = false }: Props) {
  return (
    <div role="alert">
      {why !== null && (
        <p className={css.failure} data-framed={isFramed}>
          {why}
        </p>
      )}
    </div>
  );
}
