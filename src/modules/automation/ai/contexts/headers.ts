import { sealedHeaders } from '../../../../infra/keys/sealed-headers'
import { aiContexts } from '../table'

/** The headers of API contexts. */
export const contextHeaders = sealedHeaders(aiContexts)
