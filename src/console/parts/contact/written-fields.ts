import { CONTACT_TEXTS } from '../../api/shapes'

type Written = Exclude<(typeof CONTACT_TEXTS)[number], 'name' | 'phone_number'>

/** The fields that people write about a contact, beside its name and its number. */
export const WRITTEN_FIELDS = CONTACT_TEXTS.filter(
  (field): field is Written => field !== 'name' && field !== 'phone_number',
)
