import type { TemplateToSend } from '../../../../platform/send/template'
import type { MessageRow } from '../view'

/** Options that the send job of a message needs beside its content. */
export interface SendOptions {
  preview_url?: boolean
  template?: TemplateToSend
  /** The template of a message with a one-time code, encrypted. */
  sealed?: string
}

/** Returns the send options of a message. */
export const sendOptionsOf = ({ sendOptions }: Pick<MessageRow, 'sendOptions'>): SendOptions =>
  sendOptions === null ? {} : (JSON.parse(sendOptions) as SendOptions)

/** Returns an object or a list as JSON, or `null` if it is empty, as most are. */
export const jsonUnlessEmpty = (value: object): string | null =>
  Object.keys(value).length === 0 ? null : JSON.stringify(value)
