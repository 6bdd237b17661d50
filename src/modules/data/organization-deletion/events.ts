import { defineHook } from '../../../infra/transaction-hooks'

/** Triggered in the transaction that deletes the last row of an organization, in its scope. */
export const OrganizationErased = defineHook<object>('organizations.erased')
