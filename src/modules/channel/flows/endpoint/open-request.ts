import { fieldSentence, AppError, InvalidError, NotFoundError } from '../../../../lib/errors'
import type { Deps } from '../../../../infra/ctx'
import { movingError } from '../../../../infra/frozen-organization'
import { objectOf } from '../../../../platform/lenient-json'
import { parseSignature, verifySignature } from '../../../../platform/webhook/signature'
import { openSecret } from '../../accounts/secrets'
import { appSecretOf, findAccountAnywhere } from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'
import { findOrganization } from '../../../organization/organizations/service'
import { isBase64, type PrivateKeyRef, type EncryptedPayload } from './encryption'

/** A data exchange request of the platform. */
export interface EndpointRequest {
  accountId: string
  /** `X-Hub-Signature-256`. */
  signature: string | null
  /** Reads the body; throws if it is too large. Called only after the first checks. */
  read: () => Promise<Uint8Array>
}

/** The account of the path, and the cells that may answer for it instead. */
interface Addressee {
  account: AccountRow | null
  cells: readonly string[]
}

/**
 * Returns the account of the path, which must have a key. One that has moved is in another cell; one
 * that is not known may be. Throws NotFoundError, and UnavailableError while it arrives here.
 */
export function findAddressee(deps: Deps, id: string): Addressee {
  const account = findAccountAnywhere(deps, id)
  const organization = account && findOrganization(deps, account.organizationId)
  if (organization?.state === 'importing') throw movingError()
  if (organization?.state === 'moved') return { account, cells: [organization.movedTo ?? ''] }
  const isElsewhere =
    account === null || (account.movedAtMs !== null && organization?.state !== 'moving')
  if (!isElsewhere && account.deletedAtMs === null && account.flowPublicKey !== null)
    return { account, cells: [] }
  const cells = isElsewhere ? (deps.settings.cells?.peers ?? []) : []
  if (cells.length === 0) throw new NotFoundError('Flow endpoint')
  return { account: null, cells }
}

const notSigned = (): AppError =>
  new AppError(432, 'The signature does not match the body.', { code: 'signature_mismatch' })

/** Returns the 421 error: none of the private keys decrypts the request. */
export const decryptionFailed = (): AppError =>
  new AppError(
    421,
    'The request cannot be decrypted. Fetch the current public key of the number.',
    {
      code: 'decryption_failed',
    },
  )

/**
 * Returns the body if its signature matches the app secret of the account, or one of the
 * installation if the account has none or is not known. Throws AppError 432.
 */
export async function readSigned(
  deps: Deps,
  account: AccountRow | null,
  { signature: header, read }: EndpointRequest,
): Promise<Uint8Array> {
  const signature = parseSignature(header)
  if (signature === null) throw notSigned()
  const bytes = await read()
  const own = account === null ? null : appSecretOf(deps, account)
  const secrets = own === null ? deps.settings.appSecrets : [own]
  if (!secrets.some((secret) => verifySignature(bytes, signature, secret))) throw notSigned()
  return bytes
}

const PARTS = ['encrypted_flow_data', 'encrypted_aes_key', 'initial_vector'] as const

/** Returns the encrypted parts of a body. Throws InvalidError. */
export function readEncrypted(bytes: Uint8Array): EncryptedPayload {
  const body = parse(bytes)
  const errors = PARTS.filter((name) => !isBase64(objectOf(body)[name])).map((name) => ({
    path: `body.${name}`,
    message: 'must be base64',
  }))
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'invalid_input',
      errors,
    })
  return body as unknown as EncryptedPayload
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the JSON value in UTF-8 bytes. Throws InvalidError `malformed_json`. */
export function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new InvalidError('The request body is not valid JSON.', { code: 'malformed_json' })
  }
}

/** Returns the private keys of a phone number: current, previous and next. */
export function keysOf(deps: Pick<Deps, 'vault'>, account: AccountRow): PrivateKeyRef[] {
  return (['flowPrivateKeySealed', 'flowFormerKeySealed', 'flowNextKeySealed'] as const).flatMap(
    (column) => {
      const sealed = account[column]
      return sealed === null
        ? []
        : [{ name: `${account.id} ${sealed}`, pem: () => openSecret(deps, account, column) ?? '' }]
    },
  )
}
