import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'

/** Notifies the super admins if the price list is older than the last change of prices. */
export const CheckPriceList = job('price.check-list', Type.Object({}), { queue: 'default' })
