import type { PreferencesBody } from '@offizin/contracts/sessions';
import { call } from './api';
import type { Session } from './session.calls';

export function changePreferences(body: PreferencesBody): Promise<Session> {
  return call('PUT', '/api/me', { body });
}
