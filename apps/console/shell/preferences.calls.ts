import { call } from './api';
import type { Schema } from './api-types';
import type { Session } from './session.calls';

export function changePreferences(body: Schema<'PreferencesBody'>): Promise<Session> {
  return call('PUT', '/api/me', { body });
}
