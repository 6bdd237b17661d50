import { Type, type Static } from '@sinclair/typebox'

import { patternText } from '../../../lib/fields'

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
  },
  { title: 'EntryPoints' },
)
export type EntryPointsView = Static<typeof EntryPointsView>

/** All entry points of a number. */
export const NewEntryPoints = Type.Object(
  {
    links: Type.Array(
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
    ice_breakers: IceBreakers,
    commands: Commands,
    welcome,
  },
  {
    title: 'NewEntryPoints',
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
export type NewEntryPoints = Static<typeof NewEntryPoints>
