import { Type } from '@sinclair/typebox'

import { defineEvent } from '../../infra/outbox/events'

/** The bytes of a file the platform kept for us are here. */
export const MediaStored = defineEvent('media.stored', Type.Object({ mediaId: Type.String() }))

/** A file the platform kept for us could not be had and will not come by itself. */
export const MediaFailed = defineEvent('media.failed', Type.Object({ mediaId: Type.String() }))

/** A file was kept as long as its organization keeps them, and is gone. */
export const MediaExpired = defineEvent('media.expired', Type.Object({ mediaId: Type.String() }))
