import { Type, type Static } from '@sinclair/typebox'

import { SHOWN_ONCE } from '../../../lib/shown-once'

const Kind = Type.Union(
  [
    Type.Literal('image'),
    Type.Literal('video'),
    Type.Literal('audio'),
    Type.Literal('document'),
    Type.Literal('sticker'),
  ],
  { description: 'Message type the file can be sent as.' },
)

const nullable = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(
  schema: T,
  description?: string,
) => Type.Union([schema, Type.Null()], description === undefined ? {} : { description })

const FIELDS = {
  id: Type.String({ format: 'uuid' }),
  kind: Kind,
  mime_type: nullable(Type.String({ examples: ['image/jpeg'] })),
  filename: nullable(Type.String({ examples: ['offer.pdf'] }), 'File name given by the sender.'),
  size_bytes: nullable(Type.Integer({ examples: [48_213] })),
  sha256: nullable(
    Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
    'SHA-256 of the content, in hex.',
  ),
  width: nullable(Type.Integer({ examples: [1_280] }), 'Pixels, for images.'),
  height: nullable(Type.Integer({ examples: [960] })),
  duration_ms: nullable(Type.Integer(), 'Duration of audio and video in milliseconds, if known.'),
  state: Type.Union(
    [
      Type.Literal('pending'),
      Type.Literal('ready'),
      Type.Literal('failed'),
      Type.Literal('expired'),
    ],
    {
      description:
        '`pending` while the file is being downloaded from the platform; `expired` after it ' +
        'was deleted.',
    },
  ),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: nullable(
    Type.String({ format: 'date-time' }),
    'When an unused upload is deleted. `null` once it is used.',
  ),
}

/** Returns a file as the API shows it. */
export const MediaView = Type.Object(FIELDS, { title: 'Media' })
export type MediaView = Static<typeof MediaView>

/** Returns a file with the state of its download. */
export const MediaInfo = Type.Object(
  {
    ...FIELDS,
    last_error: Type.Union(
      [Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()],
      {
        description: 'Why the last download attempt failed.',
      },
    ),
    attempts: Type.Integer({ description: 'Number of download attempts so far.' }),
  },
  { title: 'MediaInfo' },
)
export type MediaInfo = Static<typeof MediaInfo>

/** Fields of an upload without its file. */
export const UPLOAD_FIELDS = {
  kind: Type.Optional(
    Type.Union(Kind.anyOf, {
      description:
        'Message type to send the file as. Defaults to the type detected from the content.',
    }),
  ),
  filename: Type.Optional(
    Type.String({
      maxLength: 240,
      description: 'File name. Overrides the name of the file part.',
      examples: ['offer.pdf'],
    }),
  ),
}

/** Body to create a link. */
export const NewLink = Type.Object(
  {
    ttl: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 3_600, default: 600, description: 'Seconds.' }),
    ),
  },
  { title: 'LinkInput', examples: [{ ttl: 600 }] },
)
export type NewLink = Static<typeof NewLink>

/** A link that opens a file without credentials. */
export const LinkView = Type.Object({
  url: Type.String({
    ...SHOWN_ONCE,
    description:
      'For `<img>` and `<video>` tags. Needs no credentials; valid until it expires or the ' +
      'session that created it ends.',
  }),
  expires_at: Type.String({ format: 'date-time' }),
})
export type LinkView = Static<typeof LinkView>
