import type { SendMailOptions } from 'nodemailer'

import { SECOND_MS } from '../../lib/clock'
import type { Settings } from '../settings'

const NETWORK_TIMEOUT_MS = 20 * SECOND_MS

/** An email to one person. */
export interface OutgoingMail extends Pick<
  SendMailOptions,
  'messageId' | 'headers' | 'attachments'
> {
  to: string
  subject: string
  text: string
  html?: string
}

/** A connection to the mail server. */
export interface Smtp {
  /** Resolves once the mail server has accepted the email; see `mailTrouble` for its errors. */
  send: (mail: OutgoingMail) => Promise<void>
  close: () => void
}

/** Connects to the mail server of the installation, which `canMail` must have found. */
export async function openSmtp({
  smtpUrl,
  mailFrom,
}: Pick<Settings, 'smtpUrl' | 'mailFrom'>): Promise<Smtp> {
  if (smtpUrl === null) throw new Error('no mail server is configured')
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: NETWORK_TIMEOUT_MS,
    greetingTimeout: NETWORK_TIMEOUT_MS,
    socketTimeout: NETWORK_TIMEOUT_MS,
  })
  return {
    send: async ({ to, ...mail }) => {
      await transport.sendMail({ from: mailFrom, to: { name: '', address: to }, ...mail })
    },
    close: () => transport.close(),
  }
}

/**
 * Returns the mail server's or the connection's error without addresses. `isOfServer`: the server
 * answered. A reply of 500 or above is final unless it is about our own login.
 */
export function mailTrouble(error: unknown): {
  isFinal: boolean
  isOfServer: boolean
  reason: string
} {
  const { responseCode, code } = (error instanceof Error ? error : {}) as {
    responseCode?: number
    code?: string
  }
  if (responseCode !== undefined)
    return {
      isFinal: responseCode >= 500 && code !== 'EAUTH',
      isOfServer: true,
      reason: `the mail server responded with ${responseCode}`,
    }
  return {
    isFinal: false,
    isOfServer: false,
    reason: `the mail server could not be reached (${code ?? 'unknown reason'})`,
  }
}
