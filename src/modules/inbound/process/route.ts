import type { Deps } from '../../../infra/ctx'
import { isObject, objectOf, textOf } from '../../../platform/lenient-json'
import { phoneNumberIdsIn, type ReadChange } from '../../../platform/webhook/body'
import {
  appSecretOf,
  findAccountAnywhere,
  routeByBusinessId,
  routeByPhoneId,
} from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'

/**
 * Fields whose items are about one number; without it nobody knows whose conversations they are.
 */
const NEEDS_NUMBER = new Set(['messages', 'smb_message_echoes', 'smb_app_state_sync', 'history'])

/**
 * Whom a change concerns: the accounts it is for, and whether it is for some that its signature
 * does not speak for.
 */
export interface Route {
  accounts: AccountRow[]
  isForged: boolean
}

/**
 * The live accounts a change is for (inbound contract 5): the one of its number; else, where the
 * field needs none, those proven to belong to its business account, or of these the one whose
 * display number it names. Nothing else routes. Accounts the signature of the delivery does not
 * speak for are left out: what one tenant signs with a secret of its own never takes effect on
 * another's.
 */
export function routeOf(deps: Deps, change: ReadChange, signedBy: string): Route {
  const meant = meantBy(deps, change)
  const accounts = meant.filter((account) => speaksFor(deps, signedBy, account))
  return { accounts, isForged: meant.length > 0 && accounts.length === 0 }
}

function meantBy(deps: Deps, change: ReadChange): AccountRow[] {
  if (change.phoneNumberId !== null) return routeByPhoneIds(deps, change)
  if (change.businessId === null || NEEDS_NUMBER.has(change.field ?? '')) return []
  const named = displayNumberIn(change.value)
  const ofBusiness = routeByBusinessId(deps, change.businessId)
  return named === null
    ? ofBusiness
    : ofBusiness.filter((account) => numbersOf(account).includes(named))
}

/** The live accounts with the numbers a change names; wishes about marketing may name one each. */
export const routeByPhoneIds = (deps: Deps, change: ReadChange): AccountRow[] =>
  phoneNumberIdsIn(change).flatMap((id) => routeByPhoneId(deps, id) ?? [])

const digitsOf = (number: string): string => number.replace(/\D/g, '')

function displayNumberIn(value: unknown): string | null {
  if (!isObject(value)) return null
  const written =
    textOf(value['display_phone_number']) ??
    textOf(objectOf(value['metadata'])['display_phone_number'])
  const digits = digitsOf(written ?? '')
  return digits === '' ? null : digits
}

const numbersOf = ({ phoneNumber, displayPhoneNumber }: AccountRow): string[] =>
  [phoneNumber, displayPhoneNumber].flatMap((number) => (number === null ? [] : [digitsOf(number)]))

/**
 * Whether a signature speaks for an account: the installation's for all, an account's own for those
 * that share its secret.
 */
function speaksFor(deps: Deps, signedBy: string, account: AccountRow): boolean {
  if (signedBy === 'app' || signedBy === account.id) return true
  const signer = findAccountAnywhere(deps, signedBy)
  const secret = signer && appSecretOf(deps, signer)
  return secret !== null && secret === appSecretOf(deps, account)
}
