import { DAY_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { work } from '../../../infra/jobs/work'
import { checkPriceList } from './check-list'
import { CheckPriceList } from './jobs'

export const priceWorkers = [
  work(CheckPriceList, (ctx) => {
    checkPriceList(ctx)
    return Promise.resolve()
  }),
]

export const priceSchedules = [defineSchedule(DAY_MS, CheckPriceList)]
