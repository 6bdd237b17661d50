import { maskNumbersIn } from '../../../../lib/phone'
import type { Ctx } from '../../../../infra/ctx'
import { displayNameOf, numbersOfContact, type ContactRow } from '../../../inbox/contacts/view'
import { isVisible, masksNumbers } from '../../../inbox/contacts/sight/visibility'
import {
  countryFor,
  isThreadOfOthers,
  windowFor,
  type Eligibility,
  type EligibilityContext,
} from '../run/eligibility'
import type { RecipientRow } from '../view'
import type { DryRun } from './model'

const MAX_MISSING = 100

/** Excluded people that are named for each reason. */
const MAX_LEFT_OUT = 20

const SAMPLES = 3

/** A person that was checked: an imported recipient, a contact, or both. */
interface CheckedPerson {
  recipient: RecipientRow | null
  contact: ContactRow | null
}

const NOWHERE = { phoneNumber: null, userId: null }

/** The recipients of a country by what they cost: outside and inside the 24-hour window, or nothing. */
export interface CountryCounts {
  outside: number
  inside: number
  free: number
}

/** Collects the results of a dry run. */
export class Tally {
  eligible = 0
  /** Recipients whose thread the platform's agent or another app owns. */
  threadsOfOthers = 0
  readonly excluded: Record<string, number> = {}
  readonly missing: DryRun['missing_params'] = []
  readonly leftOut: DryRun['left_out'] = []
  readonly samples: DryRun['samples'] = []
  /** Recipients whose 24-hour window is closed. They count against the messaging limit. */
  reached = 0
  readonly countries = new Map<string, CountryCounts>()

  private readonly isMasked: boolean

  constructor(
    private readonly ctx: Ctx,
    private readonly context: EligibilityContext,
  ) {
    this.isMasked = masksNumbers(ctx)
  }

  leaveOut(reason: string, person: CheckedPerson): void {
    const before = this.excluded[reason] ?? 0
    this.excluded[reason] = before + 1
    if (before < MAX_LEFT_OUT && this.isShown(person.contact))
      this.leftOut.push({ reason, ...this.idsOf(person) })
  }

  private idsOf(person: CheckedPerson) {
    return {
      recipient_id: person.recipient?.id ?? null,
      contact_id: person.contact?.id ?? null,
      name: this.nameOf(person),
    }
  }

  take(person: CheckedPerson, { skip, filled, values }: Eligibility): void {
    if (
      skip === 'missing_params' &&
      this.missing.length < MAX_MISSING &&
      this.isShown(person.contact)
    )
      this.missing.push({
        ...this.idsOf(person),
        missing: filled.findings.missing.map(({ label }) => label),
      })
    if (skip !== null) return this.leaveOut(skip, person)
    // Invalid values: these messages would fail before they are submitted.
    if (filled.findings.problems.length > 0) return this.leaveOut('invalid_params', person)
    this.eligible += 1
    this.count(person)
    const { header, body, footer, buttons } = filled.rendered
    if (this.samples.length < SAMPLES && this.isShown(person.contact))
      this.samples.push(
        this.masked(person, {
          ...{ name: this.nameOf(person), header, body, footer, buttons },
          values: {
            template_params: values.body ?? {},
            header_params: values.header ?? {},
            button_params: values.buttons ?? {},
            header_media_id: values.file?.mediaId ?? null,
          },
        }),
      )
    return undefined
  }

  private count({ recipient, contact }: CheckedPerson): void {
    const to = { contact, address: recipient ?? NOWHERE }
    if (isThreadOfOthers(this.ctx, this.context, to)) this.threadsOfOthers += 1
    const key = countryFor(to) ?? ''
    const counted = this.countries.get(key) ?? { outside: 0, inside: 0, free: 0 }
    const { isOpen, isFree } = windowFor(this.ctx, this.context, to)
    if (!isOpen) this.reached += 1
    counted[isFree ? 'free' : isOpen ? 'inside' : 'outside'] += 1
    this.countries.set(key, counted)
  }

  /** Hides all but the last digits of the recipient's phone numbers in a sample. */
  private masked(
    { recipient, contact }: CheckedPerson,
    sample: DryRun['samples'][number],
  ): DryRun['samples'][number] {
    if (!this.isMasked) return sample
    const own = [
      ...(contact ? numbersOfContact(contact) : []),
      recipient?.phoneNumber ?? null,
    ].filter((number) => number !== null)
    return JSON.parse(JSON.stringify(sample), (_, value: unknown) =>
      typeof value === 'string' ? maskNumbersIn(value, own) : value,
    ) as typeof sample
  }

  /** Contacts that the caller cannot see are counted but not shown. */
  private isShown(contact: ContactRow | null): boolean {
    return contact === null || isVisible(this.ctx, contact.id)
  }

  private nameOf({ recipient, contact }: CheckedPerson): string | null {
    if (contact) return displayNameOf(contact, this.isMasked)
    return this.isMasked ? null : (recipient?.name ?? null)
  }
}
