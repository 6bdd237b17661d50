import { Type, type TProperties } from '@sinclair/typebox'

import { checkedText } from '../../../../../lib/fields'
import { isCalendarDate } from '../../../../../lib/instant'
import { isPrintable } from '../../../../../lib/printable'
import { optionalText, text } from '../../../../../lib/read-fields'
import { fileSource, Interactive } from '../interactive/model'
import { LIMITS, MAX_COUNTS } from '../rules'
import { templateMessage } from '../template/model'

const caption = optionalText(LIMITS.caption)

const word = optionalText(LIMITS.cardText)
const entries = <P extends TProperties>(fields: P) =>
  Type.Optional(Type.Array(Type.Object(fields), { maxItems: MAX_COUNTS.cardEntries }))

const Card = Type.Object(
  {
    name: Type.Object(
      {
        formatted_name: text(LIMITS.cardText),
        first_name: word,
        last_name: word,
        middle_name: word,
        suffix: word,
        prefix: word,
      },
      { description: 'The formatted name and at least one of its parts.' },
    ),
    phones: entries({ phone: word, type: word, wa_id: word }),
    emails: entries({ email: text(LIMITS.cardText), type: word }),
    addresses: entries({
      street: word,
      city: word,
      state: word,
      zip: word,
      country: word,
      country_code: word,
      type: word,
    }),
    urls: entries({ url: text(LIMITS.url), type: word }),
    org: Type.Optional(Type.Object({ company: word, department: word, title: word })),
    birthday: Type.Optional(
      checkedText('birthday', isCalendarDate, 'must be a date as YYYY-MM-DD', {
        description: 'Date as YYYY-MM-DD.',
      }),
    ),
  },
  { title: 'ContactCardInput' },
)

/** The fields of a message to send by type, with the limits of the platform. */
export const TYPES = {
  text: {
    text: optionalText(LIMITS.text, 'Required, here or in `content`. Not blank.'),
    content: Type.Optional(Type.Object({ text: text(LIMITS.text) })),
    preview_url: Type.Optional(
      Type.Boolean({
        description: 'Whether to show a preview of the first link. Defaults to `false`.',
      }),
    ),
  },
  image: { ...fileSource, caption },
  video: { ...fileSource, caption },
  audio: {
    ...fileSource,
    voice: Type.Optional(
      Type.Boolean({ description: 'Whether to send it as a voice message. Defaults to `false`.' }),
    ),
  },
  document: {
    ...fileSource,
    caption,
    filename: Type.Optional(
      checkedText('file-name', isPrintable, 'must be one line without control characters', {
        maxLength: LIMITS.filename,
      }),
    ),
  },
  sticker: fileSource,
  location: {
    location: Type.Object({
      latitude: Type.Number({ minimum: -90, maximum: 90 }),
      longitude: Type.Number({ minimum: -180, maximum: 180 }),
      name: optionalText(LIMITS.place),
      address: optionalText(LIMITS.place),
    }),
  },
  contacts: { contacts: Type.Array(Card, { minItems: 1, maxItems: MAX_COUNTS.contacts }) },
  interactive: { interactive: Interactive },
  template: templateMessage,
} satisfies Record<string, TProperties>
