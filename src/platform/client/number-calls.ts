import { isObject, listOf, objectOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { type CallGraph, type NumberAccess, query, ofNumber, requireSuccess } from './graph-request'
import { type ProfileFacts, type Administration } from './administration'

const PROFILE_FIELDS = 'about,address,description,email,profile_picture_url,websites,vertical'

/** Calls about a phone number. */
export function numberCalls(callGraph: CallGraph) {
  return {
    async setCallback({ callback, ...call }: Parameters<Administration['setCallback']>[0]) {
      const webhook_configuration =
        callback === null
          ? { override_callback_uri: '' }
          : { override_callback_uri: callback.url, verify_token: callback.verifyToken }
      const secrets = callback === null ? [] : [callback.verifyToken]
      requireSuccess(
        await callGraph({ ...ofNumber(call), payload: { webhook_configuration }, secrets }),
      )
    },
    async registerNumber({ pin, ...call }: Parameters<Administration['registerNumber']>[0]) {
      const payload = { messaging_product: 'whatsapp', pin }
      requireSuccess(
        await callGraph({ ...ofNumber(call), path: '/register', payload, secrets: [pin] }),
      )
    },
    async setStorageRegion({ region, ...call }: Parameters<Administration['setStorageRegion']>[0]) {
      const storage_configuration = {
        status: 'IN_COUNTRY_STORAGE_ENABLED',
        data_localization_region: region,
      }
      requireSuccess(
        await callGraph({
          ...ofNumber(call),
          path: '/settings',
          payload: { storage_configuration },
        }),
      )
    },
    async getProfile(call: NumberAccess) {
      const response = await callGraph({
        ...ofNumber(call),
        path: `/whatsapp_business_profile${query({ fields: PROFILE_FIELDS })}`,
      })
      const first = objectOf(listOf(response.data)[0])
      return readProfile(isObject(first.business_profile) ? first.business_profile : first)
    },
    async setProfile({ fields, ...call }: Parameters<Administration['setProfile']>[0]) {
      const payload = { messaging_product: 'whatsapp', ...fields }
      requireSuccess(
        await callGraph({ ...ofNumber(call), path: '/whatsapp_business_profile', payload }),
      )
    },
    async getFlowKey(call: NumberAccess) {
      const response = await callGraph({ ...ofNumber(call), path: '/whatsapp_business_encryption' })
      const first = objectOf(listOf(response.data)[0])
      const publicKey = wordOf(first.business_public_key)
      return publicKey === null
        ? null
        : { publicKey, status: wordOf(first.business_public_key_signature_status) }
    },
    async setFlowKey({ publicKey, ...call }: Parameters<Administration['setFlowKey']>[0]) {
      const payload = { business_public_key: publicKey }
      requireSuccess(
        await callGraph({ ...ofNumber(call), path: '/whatsapp_business_encryption', payload }),
      )
    },
  }
}

/**
 * The profile is flat in real responses and nested in some platform documents. The caller unwraps
 * it.
 */
const readProfile = (profile: JsonObject): ProfileFacts => ({
  about: wordOf(profile.about),
  address: wordOf(profile.address),
  description: wordOf(profile.description),
  email: wordOf(profile.email),
  websites: listOf(profile.websites)
    .map(wordOf)
    .filter((site) => site !== null),
  vertical: wordOf(profile.vertical) === 'UNDEFINED' ? null : wordOf(profile.vertical),
  pictureUrl: wordOf(profile.profile_picture_url),
})
