import { Type, type Static } from '@sinclair/typebox'

import { patternText } from '../../../../lib/fields'

const MAX_LINKS = 2_000

const message = Type.String({
  minLength: 1,
  maxLength: 140,
  description: 'Text that stands in the input of the customer who opens the link.',
  examples: ['I need help with my order'],
})

const IceBreakers = Type.Array(Type.String({ minLength: 1, maxLength: 80 }), {
  maxItems: 4,
  description: 'Questions that a customer who opens the chat for the first time can tap.',
})

const Commands = Type.Array(
  Type.Object({
    name: Type.String({
      minLength: 1,
      maxLength: 32,
      description: 'The command without its slash.',
      examples: ['track'],
    }),
    description: Type.String({ minLength: 1, maxLength: 256, examples: ['Track an order'] }),
  }),
  { maxItems: 30, description: 'Commands that customers see when they type a slash.' },
)

const welcome = Type.Boolean({
  description:
    'Whether the platform reports that a customer opened the chat for the first time, so that ' +
    'you can send a welcome message.',
})

const Commerce = Type.Object(
  {
    cart_enabled: Type.Boolean({ description: 'Whether customers have a shopping cart.' }),
    catalog_visible: Type.Boolean({
      description: 'Whether customers see the catalog in the chat.',
    }),
  },
  { title: 'CommerceSettings' },
)

/** A username as the platform accepts it, apart from endings such as `.com`. */
const USERNAME = '^(?=.*[A-Za-z])(?!www)(?!.*\\.\\.)\\w[\\w.]{1,33}\\w$'

/** The ways into a chat with a number. */
export const EntryPointsView = Type.Object(
  {
    links: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The code of the link on the platform.' }),
        message: Type.String(),
        url: Type.Union([Type.String(), Type.Null()], {
          examples: ['https://wa.me/message/ANOVZ6RINRD7G1'],
        }),
        qr_media_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
          description: 'QR code as a PNG file. `null` until a PUT stores it.',
        }),
      }),
    ),
    ice_breakers: Type.Array(Type.String()),
    commands: Type.Array(Type.Object({ name: Type.String(), description: Type.String() })),
    welcome,
    commerce: Type.Union([Commerce, Type.Null()], {
      description: '`null` if the platform does not report them.',
    }),
    username: Type.Union(
      [
        Type.Object({
          name: Type.String(),
          status: Type.Union([Type.String(), Type.Null()], {
            description:
              '`approved` = customers see it. `reserved` = kept until the platform shows usernames.',
          }),
        }),
        Type.Null(),
      ],
      { description: 'Name by which customers find the number. `null` if it has none.' },
    ),
  },
  { title: 'EntryPoints' },
)
export type EntryPointsView = Static<typeof EntryPointsView>

/** Changes to the entry points of a number. Omitted fields stay unchanged. */
export const EntryPointChanges = Type.Object(
  {
    links: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.Optional(
            patternText('^\\w{1,64}$', 'must be the ID of a link of this number', {
              description: 'ID of an existing link. Without it, a link is created.',
            }),
          ),
          message,
        }),
        { maxItems: MAX_LINKS, description: 'Links that are missing here are deleted.' },
      ),
    ),
    ice_breakers: Type.Optional(IceBreakers),
    commands: Type.Optional(Commands),
    welcome: Type.Optional(welcome),
    commerce: Type.Optional(Commerce),
    username: Type.Optional(
      Type.Union(
        [
          patternText(
            USERNAME,
            'must have 3 to 35 letters, digits, periods and underscores with at least one letter, ' +
              'and must not begin with www, begin or end with a period, or have two in a row',
            { maxLength: 35 },
          ),
          Type.Null(),
        ],
        { description: '`null` removes it.' },
      ),
    ),
  },
  {
    title: 'EntryPointChanges',
    minProperties: 1,
    examples: [
      {
        links: [{ message: 'I need help with my order' }],
        ice_breakers: ['When are you open?'],
        commands: [{ name: 'track', description: 'Track an order' }],
        welcome: true,
      },
    ],
  },
)
export type EntryPointChanges = Static<typeof EntryPointChanges>
