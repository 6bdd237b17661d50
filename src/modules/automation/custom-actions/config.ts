import { hiddenHeaders } from '../../../lib/outgoing-headers'
import type { CustomActionView, METHODS } from './model'
import type { customActions } from './table'

/** A row of the custom_actions table. */
export type ActionRow = typeof customActions.$inferSelect

/** The stored configuration of a webhook. */
export interface WebhookConfig {
  url: string
  method: (typeof METHODS)[number]
  /** Names of the headers; their values are encrypted. */
  headers: string[]
  body: string | null
}

/** The stored configuration of an address. */
export interface UrlConfig {
  url: string
  openInNewTab: boolean
}

/** Returns the configuration of a webhook. */
export const webhookConfigOf = ({ config }: Pick<ActionRow, 'config'>): WebhookConfig =>
  JSON.parse(config) as WebhookConfig

/** Returns the configuration of an address. */
export const urlConfigOf = ({ config }: Pick<ActionRow, 'config'>): UrlConfig =>
  JSON.parse(config) as UrlConfig

/** Returns a configuration as the API shows it, without the values of headers. */
export function configView(row: ActionRow): CustomActionView['config'] {
  if (row.actionType === 'url') {
    const { url, openInNewTab } = urlConfigOf(row)
    return { url, open_in_new_tab: openInNewTab }
  }
  const { url, method, headers, body } = webhookConfigOf(row)
  return { url, method, headers: hiddenHeaders(headers), body }
}
