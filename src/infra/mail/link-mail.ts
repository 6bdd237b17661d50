import type { Ctx } from '../ctx'
import { encryptionContextOf } from '../jobs/reencrypt'
import { SendMail } from './jobs'

/** A link to mail: the reason, the recipient, and its expiry. */
export interface LinkMail {
  to: string
  kind: 'invitation' | 'password_reset'
  link: string
  expiresAtMs: number
  /** The organization that somebody is invited to. */
  organizationName?: string
}

/** The context that an encrypted mail is bound to. */
const PLACE = encryptionContextOf(SendMail.name)

/** Encrypts a mail for the job that sends it. */
export const sealMail = ({ vault }: Pick<Ctx, 'vault'>, mail: LinkMail): string =>
  vault.seal(JSON.stringify(mail), PLACE)

/** Decrypts the mail that a job was given. */
export const openMail = ({ vault }: Pick<Ctx, 'vault'>, sealed: string): LinkMail =>
  JSON.parse(vault.open(sealed, PLACE)) as LinkMail
