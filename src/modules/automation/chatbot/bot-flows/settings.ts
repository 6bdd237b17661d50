import type { StoredSettings } from './table'

/** The settings that a session follows. */
export type FlowSettings = Omit<StoredSettings, 'onCompleteAction'>

/** The settings of a new bot flow. */
export const DEFAULT_SETTINGS: StoredSettings = {
  initialMessage: null,
  completionMessage: null,
  onCompleteAction: 'none',
  completion: null,
  cancelKeywords: ['cancel', 'stop', 'exit'],
  cancelMessage: null,
  timeoutMinutes: null,
  timeoutMessage: null,
  panel: null,
}

/** Returns the stored settings as sessions follow them: without a request that is switched off. */
export const settingsOf = ({ onCompleteAction, ...settings }: StoredSettings): FlowSettings =>
  onCompleteAction === 'none' ? { ...settings, completion: null } : settings
