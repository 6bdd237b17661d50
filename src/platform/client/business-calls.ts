import { isObject, listOf, objectOf, wordOf } from '../lenient-json'
import { PHONE_NUMBER_FIELDS, readPhoneNumber, type PhoneNumberFacts } from './phone-number'
import {
  type AskGraph,
  type BusinessRight,
  query,
  ofBusiness,
  requireSuccess,
} from './graph-request'

/** A business account has few numbers. The limit stops a broken cursor from looping. */
const MAX_PAGES = 20

/** Calls about a business account. */
export function businessAdministration(ask: AskGraph) {
  return {
    async listPhoneNumbers(call: BusinessRight) {
      const found: PhoneNumberFacts[] = []
      let after: string | null = null
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const parameters = {
          fields: PHONE_NUMBER_FIELDS.join(','),
          limit: '100',
          ...(after === null ? {} : { after }),
        }
        const answer = await ask({
          ...ofBusiness(call),
          path: `/phone_numbers${query(parameters)}`,
        })
        found.push(
          ...listOf(answer.data)
            .filter(isObject)
            .map(readPhoneNumber)
            .filter((facts) => facts !== null),
        )
        const paging = objectOf(answer.paging)
        after = wordOf(paging.next) === null ? null : wordOf(objectOf(paging.cursors).after)
        if (after === null) break
      }
      return found
    },
    async getPortfolioId(call: BusinessRight) {
      const answer = await ask({
        ...ofBusiness(call),
        path: query({ fields: 'id,owner_business_info,on_behalf_of_business_info' }),
      })
      return (
        wordOf(objectOf(answer.on_behalf_of_business_info).id) ??
        wordOf(objectOf(answer.owner_business_info).id)
      )
    },
    async listSubscribedApps(call: BusinessRight) {
      const answer = await ask({ ...ofBusiness(call), path: '/subscribed_apps' })
      return listOf(answer.data)
        .map((app) => wordOf(objectOf(objectOf(app).whatsapp_business_api_data).id))
        .filter((id) => id !== null)
    },
    async subscribeApp(call: BusinessRight) {
      requireSuccess(await ask({ ...ofBusiness(call), path: '/subscribed_apps', method: 'POST' }))
    },
    async unsubscribeApp(call: BusinessRight) {
      requireSuccess(await ask({ ...ofBusiness(call), path: '/subscribed_apps', method: 'DELETE' }))
    },
  }
}
