import { sha256Hex } from '../../lib/hash'
import type { Ctx } from '../../infra/ctx'
import { HIDDEN, type FieldChange } from '../audit/record'
import type { AccountRow } from './view'

/** The columns that hold secrets of a number. */
export const SECRET_COLUMNS = [
  'accessTokenSealed',
  'appSecretSealed',
  'verifyTokenSealed',
  'pinSealed',
  'flowPrivateKeySealed',
  'flowFormerKeySealed',
  'flowNextKeySealed',
] as const

/** The secrets of a number, by the column that holds them. */
export type SecretColumn = (typeof SECRET_COLUMNS)[number]

const placeOf = (at: { organizationId: string; id: string }, column: SecretColumn): string =>
  `${at.organizationId}/accounts/${column}/${at.id}`

/** A secret encrypted for its place; `null` clears it. */
export const sealSecret = (
  ctx: Pick<Ctx, 'vault' | 'organizationId'>,
  accountId: string,
  column: SecretColumn,
  secret: string | null,
) =>
  secret === null
    ? null
    : ctx.vault.seal(secret, placeOf({ organizationId: ctx.organizationId, id: accountId }, column))

/** A secret of a number in clear, for the one call that needs it; `null` when there is none. */
export function openSecret(
  deps: Pick<Ctx, 'vault'>,
  row: AccountRow,
  column: SecretColumn,
): string | null {
  const sealed = row[column]
  return sealed === null ? null : deps.vault.open(sealed, placeOf(row, column))
}

/** The secrets of a number that a former key encrypted, encrypted with the present one. */
export const resealAll = ({ vault }: Pick<Ctx, 'vault'>, row: AccountRow): Partial<AccountRow> =>
  Object.fromEntries(
    SECRET_COLUMNS.flatMap((column) => {
      const sealed = row[column]
      const anew = sealed === null ? null : vault.reseal(sealed, placeOf(row, column))
      return anew === sealed ? [] : [[column, anew]]
    }),
  )

/** By which the verification request finds a number's token without it being readable. */
export const verifyTokenHash = (token: string): string => sha256Hex(token)

/** Secrets as they are sent: what is left out stays, `null` clears. */
export interface SecretInput {
  access_token?: string | undefined
  app_secret?: string | null | undefined
  webhook_verify_token?: string | null | undefined
  pin?: string | null | undefined
}

/** The columns of the secrets that were sent; what was not sent is left out and stays. */
export function sealAll(ctx: Ctx, id: string, input: SecretInput) {
  const { access_token, app_secret, webhook_verify_token: verify, pin } = input
  return {
    ...(access_token === undefined
      ? {}
      : { accessTokenSealed: sealSecret(ctx, id, 'accessTokenSealed', access_token) }),
    ...(app_secret === undefined
      ? {}
      : { appSecretSealed: sealSecret(ctx, id, 'appSecretSealed', app_secret) }),
    ...(pin === undefined ? {} : { pinSealed: sealSecret(ctx, id, 'pinSealed', pin) }),
    ...(verify === undefined
      ? {}
      : {
          verifyTokenSealed: sealSecret(ctx, id, 'verifyTokenSealed', verify),
          verifyTokenHash: verify === null ? null : verifyTokenHash(verify),
        }),
  }
}

/** What becomes of the secrets of a number that is disconnected. */
export const NO_SECRETS = {
  accessTokenSealed: null,
  appSecretSealed: null,
  verifyTokenSealed: null,
  verifyTokenHash: null,
  pinSealed: null,
} as const

/** What becomes of the key pair of its Flow endpoint, also when it becomes another number. */
export const NO_FLOW_KEY = {
  flowPrivateKeySealed: null,
  flowFormerKeySealed: null,
  flowNextKeySealed: null,
  flowPublicKey: null,
  flowKeyStatus: null,
  flowKeyCreatedAtMs: null,
} as const

/** Which secrets were replaced; their values are told to nobody. */
export const secretChanges = (before: AccountRow, after: AccountRow): FieldChange[] =>
  SECRET_FIELDS.filter(([column]) => before[column] !== after[column]).map(([, field]) => ({
    field,
    old_value: HIDDEN,
    new_value: HIDDEN,
  }))

const SECRET_FIELDS = [
  ['accessTokenSealed', 'access_token'],
  ['appSecretSealed', 'app_secret'],
  ['verifyTokenSealed', 'webhook_verify_token'],
  ['pinSealed', 'pin'],
] as const
