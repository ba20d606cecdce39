import { useState } from 'react';
import { Button } from '../controls/button';
import type { Texts } from '../text/de';
import { useTexts } from '../text/texts';
import { ApiError } from '../calls/api';
import { refusalSentence } from './refusal';
import css from './fault.module.css';

/** The message of a failed call for a person. */
export function sentenceOf(error: unknown, texts: Texts): string {
  const { fault } = texts;
  if (!(error instanceof ApiError)) return fault.unknown;
  if (error.status === 0) return fault.unreachable;
  if (error.status === 429) return fault.tooMany;
  if (error.code === 'timeout') return fault.timeout;
  if (error.status >= 502) return fault.unreachable;
  if (error.code === 'not_json') return fault.notTheConsole;
  return error.status >= 500 ? fault.unknown : refusalSentence(error, texts);
}

/** In place of what could not be loaded: a sentence, the id of the request, "again". */
export function Fault({ error, onAgain }: { error: unknown; onAgain?: (() => void) | undefined }) {
  const texts = useTexts();
  const [isCopied, setCopied] = useState(false);
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div className={css.fault} role="alert">
      <h2 className={css.title}>{texts.fault.title}</h2>
      <p>{sentenceOf(error, texts)}</p>
      {requestId === null ? null : <p className={css.id}>{texts.fault.requestId(requestId)}</p>}
      <div className={css.buttons}>
        {onAgain ? <Button onPress={onAgain}>{texts.fault.again}</Button> : null}
        {requestId === null ? null : (
          <Button
            kind="quiet"
            onPress={() => {
              void navigator.clipboard.writeText(requestId).then(() => {
                setCopied(true);
              });
            }}
          >
            {isCopied ? texts.fault.copied : texts.fault.copyRequestId}
          </Button>
        )}
      </div>
    </div>
  );
}

/** The role lacks a right: what is missing, and who can give it. */
export function Refused({ role }: { role: keyof Texts['shell']['roles'] }) {
  const texts = useTexts();
  return (
    <div className={css.fault}>
      <h1 className={css.title}>{texts.fault.refusedTitle}</h1>
      <p>{texts.fault.refused(texts.shell.roles[role])}</p>
    </div>
  );
}
