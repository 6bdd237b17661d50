import type { Ctx } from '../ctx'
import { encryptionContextOf } from '../jobs/reencrypt'
import { SendMail } from './jobs'

/** The logo of an organization, at a public address. */
export interface MailLogo {
  url: string
  /** Name of the organization. */
  alt: string
}

/** A link to mail: the reason, the recipient, and its expiry. */
export interface LinkMail {
  to: string
  kind: 'invitation' | 'password_reset'
  link: string
  expiresAtMs: number
  /** The organization that somebody is invited to. */
  organizationName?: string
  logo?: MailLogo
}

/** A notice to mail, with a link to more details. It is not sent any more after its expiry. */
export interface NoticeMail {
  to: string
  kind: 'notice'
  subject: string
  text: string
  link: string
  expiresAtMs: number
  logo?: MailLogo
}

/** Everything that `SendMail` sends. */
export type QueuedMail = LinkMail | NoticeMail

/** The context that an encrypted mail is bound to. */
const PLACE = encryptionContextOf(SendMail.name)

/** Encrypts a mail for the job that sends it. */
export const sealMail = ({ vault }: Pick<Ctx, 'vault'>, mail: QueuedMail): string =>
  vault.seal(JSON.stringify(mail), PLACE)

/** Decrypts the mail that a job was given. */
export const openMail = ({ vault }: Pick<Ctx, 'vault'>, sealed: string): QueuedMail =>
  JSON.parse(vault.open(sealed, PLACE)) as QueuedMail
