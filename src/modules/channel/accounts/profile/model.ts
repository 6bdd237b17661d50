import { Type, type Static, type TSchema } from '@sinclair/typebox'

import { isEmail, checkedText } from '../../../../lib/fields'
import { webUrl } from '../../../../lib/web-url'

/** Categories of businesses in the platform's terms. */
const VERTICALS = [
  'ALCOHOL',
  'APPAREL',
  'AUTO',
  'BEAUTY',
  'EDU',
  'ENTERTAIN',
  'EVENT_PLAN',
  'FINANCE',
  'GOVT',
  'GROCERY',
  'HEALTH',
  'HOTEL',
  'NONPROFIT',
  'ONLINE_GAMBLING',
  'OTC_DRUGS',
  'OTHER',
  'PHYSICAL_GAMBLING',
  'PROF_SERVICES',
  'RESTAURANT',
  'RETAIL',
  'TRAVEL',
] as const

const word = Type.Union([Type.String(), Type.Null()])

/** The business profile that customers see for a number. */
export const ProfileView = Type.Object(
  {
    about: word,
    address: word,
    description: word,
    email: word,
    websites: Type.Array(Type.String()),
    vertical: word,
    profile_picture_url: word,
  },
  { title: 'BusinessProfile' },
)
export type ProfileView = Static<typeof ProfileView>

const orCleared = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

const isSite = (text: string): boolean => text.length <= 256 && webUrl(text) !== null

/** Changes to a business profile. Omitted fields stay unchanged; `null` clears a field. */
export const ProfileChanges = Type.Object(
  {
    about: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 139,
        description: 'The line below the name. It cannot be empty.',
      }),
    ),
    address: orCleared(Type.String({ maxLength: 256 })),
    description: orCleared(Type.String({ maxLength: 512 })),
    email: orCleared(
      checkedText(
        'business-email',
        (text) => text === '' || (isEmail(text) && text.length <= 128),
        'must be an email address of up to 128 characters',
        { maxLength: 128 },
      ),
    ),
    websites: Type.Optional(
      Type.Union([
        Type.Array(
          checkedText('website', isSite, 'must be an http or https URL of up to 256 characters'),
          { maxItems: 2 },
        ),
        Type.Null(),
      ]),
    ),
    vertical: Type.Optional(
      Type.Union(
        VERTICALS.map((vertical) => Type.Literal(vertical)),
        { description: "Industry of the business, as one of the platform's values." },
      ),
    ),
  },
  {
    title: 'BusinessProfileChanges',
    minProperties: 1,
    examples: [
      {
        about: 'We answer from 9 to 5',
        email: 'hello@example.com',
        websites: ['https://example.com'],
        vertical: 'RETAIL',
      },
    ],
  },
)
export type ProfileChanges = Static<typeof ProfileChanges>
