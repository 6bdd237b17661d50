import type { Deps } from '../../../../infra/ctx'
import { encryptionContextOf } from '../../../../infra/jobs/reencrypt'
import { MailResetLink } from '../jobs'

/** The place to which an email address is bound while it is encrypted. */
const PLACE = encryptionContextOf(MailResetLink.name)

/** Encrypts an email address for the job that mails the link. */
export const sealEmail = ({ vault }: Pick<Deps, 'vault'>, email: string): string =>
  vault.seal(email, PLACE)

/** Decrypts the email address that the job was given. */
export const openEmail = ({ vault }: Pick<Deps, 'vault'>, sealed: string): string =>
  vault.open(sealed, PLACE)
