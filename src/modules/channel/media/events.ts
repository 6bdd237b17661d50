import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../../infra/outbox/events'

/** An incoming file was downloaded. */
export const MediaStored = defineEvent('media.stored', Type.Object({ mediaId: Type.String() }))

/** The download of an incoming file failed finally. */
export const MediaFailed = defineEvent('media.failed', Type.Object({ mediaId: Type.String() }))

/** A file was deleted because its retention time was over. */
export const MediaExpired = defineEvent('media.expired', Type.Object({ mediaId: Type.String() }))
