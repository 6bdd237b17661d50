import { Type, type Static } from '@sinclair/typebox'

const Kind = Type.Union(
  [
    Type.Literal('image'),
    Type.Literal('video'),
    Type.Literal('audio'),
    Type.Literal('document'),
    Type.Literal('sticker'),
  ],
  { description: 'What the file is sent as.' },
)

const nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: T,
  description?: string,
) => Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

const FIELDS = {
  id: Type.String({ format: 'uuid' }),
  kind: Kind,
  mime_type: nullable(Type.String({ examples: ['image/jpeg'] })),
  filename: nullable(Type.String({ examples: ['offer.pdf'] }), 'As its sender called it.'),
  size_bytes: nullable(Type.Integer({ examples: [48_213] })),
  sha256: nullable(
    Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
    'Hex, of the bytes.',
  ),
  width: nullable(Type.Integer({ examples: [1_280] }), 'Of images, pixels.'),
  height: nullable(Type.Integer({ examples: [960] })),
  duration_ms: nullable(Type.Integer(), 'Of sound and video, where it is known.'),
  state: Type.Union(
    [
      Type.Literal('pending'),
      Type.Literal('ready'),
      Type.Literal('failed'),
      Type.Literal('expired'),
    ],
    {
      description:
        '`pending` while it is fetched from the platform; `expired` when it is no longer kept.',
    },
  ),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: nullable(
    Type.String({ format: 'date-time' }),
    'When an upload nobody sends is removed; null once it is used.',
  ),
}

/** A file as the API answers it. */
export const MediaView = Type.Object(FIELDS, { title: 'Media' })
export type MediaView = Static<typeof MediaView>

/** A file with how its fetching goes. */
export const MediaInfo = Type.Object(
  {
    ...FIELDS,
    last_error: Type.Union(
      [Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()],
      {
        description: 'Why the last attempt to fetch it failed.',
      },
    ),
    attempts: Type.Integer({ description: 'Attempts to fetch it from the platform so far.' }),
  },
  { title: 'MediaInfo' },
)
export type MediaInfo = Static<typeof MediaInfo>

/** The fields of an upload beside its file. */
export const UPLOAD_FIELDS = {
  kind: Type.Optional(
    Type.Union(Kind.anyOf, {
      description: 'What the file is to be sent as; without it the type of its content decides.',
    }),
  ),
  filename: Type.Optional(
    Type.String({
      maxLength: 240,
      description: 'A name instead of that of the file part.',
      examples: ['offer.pdf'],
    }),
  ),
}

/** How long a link is to work. */
export const NewLink = Type.Object(
  {
    ttl: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 3_600, default: 600, description: 'Seconds.' }),
    ),
  },
  { title: 'NewLink', examples: [{ ttl: 600 }] },
)
export type NewLink = Static<typeof NewLink>

/** A link that opens a file without a credential. */
export const LinkView = Type.Object({
  url: Type.String({
    description:
      'For img and video tags; works without a credential until it expires or the session of its maker ends.',
  }),
  expires_at: Type.String({ format: 'date-time' }),
})
export type LinkView = Static<typeof LinkView>
