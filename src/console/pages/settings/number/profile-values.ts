import type { BusinessProfile, BusinessProfileChanges } from '../../../api/shapes'

/** Lines of business, as WhatsApp names them. */
export const VERTICALS = [
  'RETAIL',
  'RESTAURANT',
  'GROCERY',
  'APPAREL',
  'BEAUTY',
  'HEALTH',
  'HOTEL',
  'TRAVEL',
  'AUTO',
  'EDU',
  'ENTERTAIN',
  'EVENT_PLAN',
  'FINANCE',
  'PROF_SERVICES',
  'GOVT',
  'NONPROFIT',
  'ALCOHOL',
  'OTC_DRUGS',
  'ONLINE_GAMBLING',
  'PHYSICAL_GAMBLING',
  'OTHER',
] as const
type Vertical = (typeof VERTICALS)[number]

/** The longest texts of a profile. */
export const MOST = { about: 139, description: 512, address: 256 } as const
/** Most websites of a profile. */
const SITES = 2

/** What the form holds: an empty text for what a profile does not have. */
export interface Values {
  about: string
  description: string
  address: string
  email: string
  /** Always as many as there are fields. */
  websites: string[]
  vertical: string
}

/** Returns a profile as the form shows it. */
export const valuesOf = (profile: BusinessProfile): Values => ({
  about: profile.about ?? '',
  description: profile.description ?? '',
  address: profile.address ?? '',
  email: profile.email ?? '',
  websites: Array.from({ length: SITES }, (_, at) => profile.websites[at] ?? ''),
  vertical: profile.vertical ?? '',
})

/** Returns the changes as the API takes them: what was emptied is cleared. */
export const changesOf = ({
  websites,
  vertical,
  about,
  ...texts
}: Partial<Values>): BusinessProfileChanges => ({
  ...(about === undefined ? {} : { about }),
  ...Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, text === '' ? null : text]),
  ),
  ...(websites === undefined ? {} : { websites: websites.filter((site) => site !== '') }),
  ...(vertical === undefined ? {} : { vertical: vertical as Vertical }),
})
