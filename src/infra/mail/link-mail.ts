import type { Ctx } from '../ctx'
import { placeOfArgs } from '../jobs/reencrypt'
import { SendMail } from './jobs'

/** A link that is mailed to somebody: why, to whom, and until when it works. */
export interface LinkMail {
  to: string
  kind: 'invitation' | 'password_reset'
  link: string
  expiresAtMs: number
  /** Who it is about, for the text: the organization somebody is invited to. */
  organizationName?: string
}

/** The place to which a mail is bound while it is encrypted. */
const PLACE = placeOfArgs(SendMail.name)

/** Encrypts a mail for the job that sends it. */
export const sealMail = ({ vault }: Pick<Ctx, 'vault'>, mail: LinkMail): string =>
  vault.seal(JSON.stringify(mail), PLACE)

/** Decrypts the mail that a job was given. */
export const openMail = ({ vault }: Pick<Ctx, 'vault'>, sealed: string): LinkMail =>
  JSON.parse(vault.open(sealed, PLACE)) as LinkMail
