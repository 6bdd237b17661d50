import type { Deps } from '../../../../infra/ctx'
import { isObject, objectOf, textOf } from '../../../../platform/lenient-json'
import { phoneNumberIdsIn, type ReadChange } from '../../../../platform/webhook/body'
import {
  appSecretOf,
  findAccountAnywhere,
  routeByBusinessId,
  routeByPhoneId,
} from '../../accounts/queries'
import type { AccountRow } from '../../accounts/view'

/**
 * Fields whose items belong to conversations of one phone number. Without the number they cannot be
 * routed.
 */
const NEEDS_NUMBER = new Set([
  'messages',
  'smb_message_echoes',
  'smb_app_state_sync',
  'history',
  'calls',
  'standby',
  'messaging_handovers',
])

/**
 * The accounts a change is for, and whether it was rejected because its signature is not valid for
 * any of them.
 */
export interface Route {
  accounts: AccountRow[]
  isForged: boolean
}

/**
 * Returns the active accounts a change is for (inbound contract 5): the account of its phone
 * number, or, if the field needs no number, the accounts verified to belong to its business
 * account. A display phone number in the change limits these to one. Leaves out accounts the
 * signature is not valid for, so that a delivery signed with one tenant's secret never affects
 * another tenant.
 */
export function routeOf(deps: Deps, change: ReadChange, signedBy: string): Route {
  const meant = meantBy(deps, change)
  const accounts = meant.filter((account) => speaksFor(deps, signedBy, account))
  return { accounts, isForged: meant.length > 0 && accounts.length === 0 }
}

/** How many of the accounts that a change may be for are here. */
export type Presence = 'here' | 'partly' | 'shared' | 'elsewhere' | 'nowhere'

/**
 * Returns whether the accounts a change names are here. A change without a phone number comes only
 * to the address of the app, so other cells may have accounts of it as well (`shared`). One whose
 * numbers are here in part is `partly` here. A change that cannot be routed anywhere is `nowhere`.
 */
export function presenceOf(deps: Deps, change: ReadChange): Presence {
  const ids = phoneNumberIdsIn(change)
  if (ids.length > 0) {
    const known = ids.filter((id) => routeByPhoneId(deps, id)).length
    return known === ids.length ? 'here' : known > 0 ? 'partly' : 'elsewhere'
  }
  if (change.businessId === null || NEEDS_NUMBER.has(change.field ?? '')) return 'nowhere'
  return meantBy(deps, change).length > 0 ? 'shared' : 'elsewhere'
}

/** Returns the numbers that a change names and that are not here. */
export const missingNumbers = (deps: Deps, change: ReadChange): string[] =>
  phoneNumberIdsIn(change).filter((id) => !routeByPhoneId(deps, id))

function meantBy(deps: Deps, change: ReadChange): AccountRow[] {
  if (change.phoneNumberId !== null) return routeByPhoneIds(deps, change)
  if (change.businessId === null || NEEDS_NUMBER.has(change.field ?? '')) return []
  const named = displayNumberIn(change.value)
  const ofBusiness = routeByBusinessId(deps, change.businessId)
  return named === null
    ? ofBusiness
    : ofBusiness.filter((account) => numbersOf(account).includes(named))
}

/**
 * Returns the active accounts of the phone numbers in a change. Each marketing preference may name
 * its own number.
 */
const routeByPhoneIds = (deps: Deps, change: ReadChange): AccountRow[] =>
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
 * Whether a signature is valid for an account. The installation's secret is valid for all accounts,
 * an account's secret for the accounts that share it.
 */
function speaksFor(deps: Deps, signedBy: string, account: AccountRow): boolean {
  if (signedBy === 'app') return true
  const signers = signedBy.split(' ')
  if (signers.includes(account.id)) return true
  const secret = appSecretOf(deps, account)
  return (
    secret !== null &&
    signers.some((id) => {
      const signer = findAccountAnywhere(deps, id)
      return signer !== null && appSecretOf(deps, signer) === secret
    })
  )
}
