import { sealedHeaders } from '../../../infra/keys/sealed-headers'
import { customActions } from './table'

/** The headers of custom actions that call a webhook. */
export const actionHeaders = sealedHeaders(customActions)
