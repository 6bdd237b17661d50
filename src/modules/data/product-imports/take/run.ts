import type { CountryCode } from '../../../../lib/phone'
import type { Ctx } from '../../../../infra/ctx'
import type { AttributeRow } from '../../../inbox/contacts/attributes/service'
import type { ThingOutcome, Items } from '../items'
import type { Reason } from '../model'

/** A phone number of the organization. */
export interface OwnNumber {
  id: string
  phoneId: string
  phone: string | null
}

/** An import or its check while it runs. */
export interface ProductRun {
  ctx: Ctx
  items: Items
  /** The import that is stored; `null` for a check. */
  importId: string | null
  /** Whether only to judge: nothing is written but items of the check. */
  isCheck: boolean
  numbers: OwnNumber[]
  /** The number that stands for those that are not connected. */
  otherNumber: string | null
  country: CountryCode | undefined
  fields: ReadonlyMap<string, AttributeRow>
  /** The member who invites colleagues, and the context of their rights; `null` for no invitations. */
  inviter: Ctx | null
}

/** Returns that a thing is left out. */
export const leftOut = (reason: Reason): ThingOutcome => ({ outcome: 'left_out', reason })

/** Returns that a thing is here already. */
export const joined = (targetId: string | null): ThingOutcome => ({ outcome: 'joined', targetId })
