import { useState } from 'react';
import { Check } from '../../controls/check';
import { toasts } from '../../messages/toasts';
import { hasNotice, NOTICES, type NoticeKind, rememberNotice } from '../../session/preferences';
import { useSettingsTexts } from '../forms/settings-texts';
import css from './me.module.css';

/** How this device announces new requests. */
export function Notices() {
  const { me } = useSettingsTexts();
  const [wanted, setWanted] = useState(() => NOTICES.filter(hasNotice));
  const toggle = async (kind: NoticeKind) => {
    const isOn = !wanted.includes(kind);
    if (isOn && kind === 'note' && (await Notification.requestPermission()) !== 'granted') {
      toasts.show({ text: me.noteRefused, tone: 'failure' });
      return;
    }
    rememberNotice(kind, isOn);
    setWanted(NOTICES.filter(hasNotice));
  };
  return (
    <fieldset className={css.notices}>
      <legend>{me.newWork}</legend>
      {NOTICES.map((kind) => (
        <Check
          key={kind}
          label={me.notices[kind]}
          isChecked={wanted.includes(kind)}
          onToggle={() => void toggle(kind)}
        />
      ))}
    </fieldset>
  );
}
