import { AppError, InvalidError, UnauthorizedError, UnavailableError } from '../../../lib/errors'
import type { Deps } from '../../../infra/ctx'
import { yieldEvery } from '../../../infra/event-loop'
import { parseJson } from '../../../infra/json/parse'
import { scanJson } from '../../../infra/json/scan'
import {
  countEntries,
  phoneNumberIdsIn,
  readChanges,
  type ReadChange,
} from '../../../platform/webhook/body'
import { parseSignature, verifySignature } from '../../../platform/webhook/signature'
import {
  accountsNamingBusiness,
  accountsNamingPhones,
  appSecretOf,
  isArriving,
} from '../accounts/queries'
import type { AccountRow } from '../accounts/view'

/**
 * A delivery with a valid signature: its parsed body, its changes, and the changes the signature is
 * valid for.
 */
export interface SignedDelivery {
  /** `app`, or the IDs of the accounts whose own secret signed, with spaces between them. */
  signedBy: string
  /** Address of the cell that passed it on; empty if it came from the platform. */
  cell: string
  body: unknown
  changes: ReadChange[]
  /** The changes the signature is valid for; `null` for all. */
  trusted: ReadonlySet<ReadChange> | null
}

/** Position of a change in its delivery. */
export const placeOf = ({
  entryIndex,
  changeIndex,
}: Pick<ReadChange, 'entryIndex' | 'changeIndex'>): string => `${entryIndex} ${changeIndex}`

/** Returns the positions of the changes that the signature is valid for; `null` for all. */
export const trustedPlaces = ({ trusted }: Pick<SignedDelivery, 'trusted'>): string[] | null =>
  trusted && [...trusted].map(placeOf)

/** Whether the signature of a delivery is valid for one of its changes. */
export const isSignedFor = (
  { trusted }: Pick<SignedDelivery, 'trusted'>,
  change: ReadChange,
): boolean => trusted?.has(change) ?? true

/**
 * Returns a delivery that was verified earlier, from its bytes, its signer, the cell it came from,
 * and the positions of the changes the signature is valid for (`null`: all).
 */
export function verifiedDelivery(
  bytes: Uint8Array,
  {
    signedBy,
    cell,
    places,
  }: Pick<SignedDelivery, 'signedBy' | 'cell'> & { places: readonly string[] | null },
): SignedDelivery {
  const body = parseObject(bytes)
  const changes = readChanges(body)
  return {
    signedBy,
    cell,
    body,
    changes,
    trusted: places && new Set(changes.filter((change) => places.includes(placeOf(change)))),
  }
}

/**
 * What a body may have. Before its signature is verified it is nobody's, and afterwards perhaps that of
 * somebody who runs one number here: reading it must not hold up the others. The platform sends far less.
 */
const LIMITS = { values: 200_000, fields: 20_000, levels: 10_000 }
const UNVERIFIED_LIMITS = { ...LIMITS, levels: 17 }

/** Maximum number of entries: 20 times what the platform batches. More take long to walk through. */
const MAX_ENTRIES = 20_000

/** How long secrets are tried before other work has its turn, milliseconds. */
const HOLD_MS = 4

/** Maximum number of accounts that one delivery may name before its signature is verified. */
const MAX_CANDIDATES = 2_000

/**
 * Most accounts that are stored as signers. Each of them may be in another cell soon, where the secret of
 * the others is not known.
 */
const MAX_SIGNERS = 100

/**
 * Verifies the signature of a delivery (spec 5.8) over the bytes as received, in constant time. The
 * installation's app secret is valid for the whole body, the secret of an account for the changes
 * of the accounts that share it. Rejects unsigned bodies. Throws UnauthorizedError, InvalidError if
 * signed bytes are not a JSON object, AppError 413 if they have too many fields and items, or
 * UnavailableError while the secret of a number that moves here is not known yet.
 */
export async function verifyDelivery(
  deps: Deps,
  bytes: Uint8Array,
  header: string | null,
): Promise<SignedDelivery> {
  const signature = parseSignature(header)
  if (!signature)
    throw new UnauthorizedError(
      'The header `X-Hub-Signature-256` is missing, or is not `sha256=` and 64 hexadecimal digits.',
      { code: 'signature_missing' },
    )
  const isSignedWith = (secret: string): boolean => verifySignature(bytes, signature, secret)
  if (deps.settings.appSecrets.some(isSignedWith)) {
    const scanned = await scanJson(bytes, LIMITS)
    if ('excess' in scanned)
      throw new AppError(413, `The body ${scanned.excess}.`, { code: 'body_too_large' })
    const body = objectOrNull(await parseJson(bytes, scanned.large).catch(() => null))
    if (body === null)
      throw new InvalidError('The body is not a JSON object.', { code: 'malformed_json' })
    if (countEntries(body) > MAX_ENTRIES)
      throw new AppError(413, `The body has more than ${MAX_ENTRIES} entries.`, {
        code: 'body_too_large',
      })
    return { signedBy: 'app', cell: '', body, changes: readChanges(body), trusted: null }
  }
  return proveByAccount(deps, bytes, isSignedWith)
}

/** IDs in an unverified body only select the secrets to try. */
async function proveByAccount(
  deps: Deps,
  bytes: Uint8Array,
  isSignedWith: (secret: string) => boolean,
): Promise<SignedDelivery> {
  const scanned = await scanJson(bytes, UNVERIFIED_LIMITS)
  const body =
    'excess' in scanned
      ? null
      : objectOrNull(await parseJson(bytes, scanned.large).catch(() => null))
  const changes = body === null || countEntries(body) > MAX_ENTRIES ? [] : readChanges(body)
  const yieldIfDue = yieldEvery(HOLD_MS)
  const verdicts = new Map<string, boolean>()
  const speaksFor = (account: AccountRow): boolean => {
    const secret = appSecretOf(deps, account)
    if (secret === null) return false
    const known = verdicts.get(secret) ?? isSignedWith(secret)
    verdicts.set(secret, known)
    return known
  }
  const trusted = new Set<ReadChange>()
  const signers = new Set<string>()
  const named: string[] = []
  let looked = 0
  for (const change of changes) {
    if (looked >= MAX_CANDIDATES) break
    const phoneIds = phoneNumberIdsIn(change).slice(0, MAX_CANDIDATES - looked)
    const candidates = concernedBy(deps, change, phoneIds)
    await yieldIfDue()
    named.push(...phoneIds)
    looked += Math.max(1, phoneIds.length, candidates.length)
    for (const account of candidates) {
      await yieldIfDue()
      if (!speaksFor(account)) continue
      trusted.add(change)
      if (signers.size < MAX_SIGNERS) signers.add(account.id)
    }
  }
  if (signers.size === 0 && isArriving(deps, named))
    throw new UnavailableError('This number is being moved to this server. Try again soon.', 10)
  if (signers.size === 0)
    throw new UnauthorizedError(
      'The signature in `X-Hub-Signature-256` does not match the body and the app secret.',
      {
        code: 'signature_mismatch',
      },
    )
  return { signedBy: [...signers].join(' '), cell: '', body, changes, trusted }
}

/**
 * Returns the accounts whose secret may sign a change: those of its phone numbers, otherwise all with
 * its business account. Also those that have moved to another server: their webhooks are passed on.
 */
function concernedBy(deps: Deps, change: ReadChange, phoneIds: string[]): AccountRow[] {
  if (change.phoneNumberId !== null) return accountsNamingPhones(deps, phoneIds)
  return change.businessId === null ? [] : accountsNamingBusiness(deps, change.businessId)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseObject(bytes: Uint8Array): object | null {
  try {
    return objectOrNull(JSON.parse(utf8.decode(bytes)))
  } catch {
    return null
  }
}

const objectOrNull = (value: unknown): object | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
