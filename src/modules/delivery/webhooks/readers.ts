import { reader } from '../../../infra/read/reader'
import { getEndpoint } from './queries'

/** Reads an endpoint with its figures (`getEndpoint`). */
export const ReadEndpoint = reader('webhooks.endpoint', 'list', getEndpoint)
