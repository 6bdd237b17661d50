import type { PanelConfig } from './model'

/** Settings of a bot flow that concern all its versions. Texts are templates. */
export interface FlowSettings {
  initialMessage: string | null
  completionMessage: string | null
  /** The request sent when a session completes; `null` for none. Header values are sealed apart. */
  completion: CompletionRequest | null
  cancelKeywords: string[]
  cancelMessage: string | null
  /** `null` follows the session timeout of the organization. */
  timeoutMinutes: number | null
  timeoutMessage: string | null
  /** How the variables of a session are shown beside the conversation. */
  panel: PanelConfig | null
}

/** A request to a webhook. `url` and `body` are templates. */
export interface CompletionRequest {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headerNames: string[]
  body: string | null
}

/** The settings as stored: the request is kept while `onCompleteAction` is `none`. */
export interface StoredSettings extends FlowSettings {
  onCompleteAction: 'none' | 'webhook'
}

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

/** Returns the stored settings as sessions follow them. */
export function settingsOf(stored: string): FlowSettings {
  const { onCompleteAction, ...settings } = JSON.parse(stored) as StoredSettings
  return onCompleteAction === 'none' ? { ...settings, completion: null } : settings
}
