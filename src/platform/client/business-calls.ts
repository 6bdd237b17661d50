import { isObject, listOf, objectOf, wordOf } from '../lenient-json'
import { readMarketingStatus } from './marketing-status'
import { PHONE_NUMBER_FIELDS, readPhoneNumber, type PhoneNumberFacts } from './phone-number'
import {
  type CallGraph,
  type BusinessAccess,
  query,
  ofBusiness,
  requireSuccess,
} from './graph-request'
import { creativeChangesSpec } from '../templates/creative-changes'
import { timezoneOf } from '../time-zones'

/** A business account has few numbers. The limit stops a broken cursor from looping. */
const MAX_PAGES = 20

const BUSINESS_FIELDS =
  'id,owner_business_info,on_behalf_of_business_info,timezone_id,business_verification_status'

/** Calls about a business account. */
export function businessCalls(callGraph: CallGraph) {
  return {
    async listPhoneNumbers(call: BusinessAccess) {
      const numbers: PhoneNumberFacts[] = []
      let after: string | null = null
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const parameters = {
          fields: PHONE_NUMBER_FIELDS.join(','),
          limit: '100',
          ...(after === null ? {} : { after }),
        }
        const response = await callGraph({
          ...ofBusiness(call),
          path: `/phone_numbers${query(parameters)}`,
        })
        numbers.push(
          ...listOf(response.data)
            .filter(isObject)
            .map(readPhoneNumber)
            .filter((facts) => facts !== null),
        )
        const paging = objectOf(response.paging)
        after = wordOf(paging.next) === null ? null : wordOf(objectOf(paging.cursors).after)
        if (after === null) break
      }
      return numbers
    },
    async getBusinessFacts(call: BusinessAccess) {
      const response = await callGraph({
        ...ofBusiness(call),
        path: query({ fields: BUSINESS_FIELDS }),
      })
      return {
        portfolioId:
          wordOf(objectOf(response.on_behalf_of_business_info).id) ??
          wordOf(objectOf(response.owner_business_info).id),
        timezone: timezoneOf(wordOf(response.timezone_id)),
        verification: wordOf(response.business_verification_status)?.toLowerCase() ?? null,
      }
    },
    async getMarketingStatus(call: BusinessAccess) {
      const response = await callGraph({
        ...ofBusiness(call),
        path: query({ fields: 'id,marketing_messages_onboarding_status' }),
      })
      return readMarketingStatus(response.marketing_messages_onboarding_status)
    },
    async getFundingId(call: BusinessAccess) {
      const response = await callGraph({
        ...ofBusiness(call),
        path: query({ fields: 'id,primary_funding_id' }),
      })
      return wordOf(response.primary_funding_id)
    },
    async optOutOfCreativeChanges(call: BusinessAccess) {
      const payload = creativeChangesSpec({ isOptedOut: true })
      requireSuccess(await callGraph({ ...ofBusiness(call), payload }))
    },
    async listSubscribedApps(call: BusinessAccess) {
      const response = await callGraph({ ...ofBusiness(call), path: '/subscribed_apps' })
      return listOf(response.data)
        .map((app) => wordOf(objectOf(objectOf(app).whatsapp_business_api_data).id))
        .filter((id) => id !== null)
    },
    async subscribeApp(call: BusinessAccess) {
      requireSuccess(
        await callGraph({ ...ofBusiness(call), path: '/subscribed_apps', method: 'POST' }),
      )
    },
    async unsubscribeApp(call: BusinessAccess) {
      requireSuccess(
        await callGraph({ ...ofBusiness(call), path: '/subscribed_apps', method: 'DELETE' }),
      )
    },
  }
}
