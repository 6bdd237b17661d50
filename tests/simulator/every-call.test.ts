import { expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'

import { createPlatformClient, type PlatformClient } from '../../src/platform/client/client'
import { DEFAULT_GRAPH_VERSION } from '../../src/lib/graph-versions'
import { SIMULATED_APP } from '../../src/simulator/administration'
import { SIMULATED_CODE } from '../../src/simulator/onboarding-edges'
import { startPair, type Pair } from './pair'
import type { Customer } from '../../src/simulator/customers'

type Calls = Omit<PlatformClient, 'close'>

const FLOW_JSON = JSON.stringify({
  version: '7.2',
  screens: [
    {
      id: 'HELLO',
      title: 'Hello',
      terminal: true,
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: {} } },
        ],
      },
    },
  ],
})
const FLOW = { categories: ['OTHER'], endpointUri: null, applicationId: null }
const TEMPLATE = {
  name: 'hello',
  language: 'en',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Hello there.' }],
}
const PICTURE = {
  filename: 'picture.png',
  mimeType: 'image/png',
  sizeBytes: 3,
  stream: () => new Blob([new Uint8Array([1, 2, 3])]).stream(),
}

/** Makes every call of the client once, in an order in which each is possible. */
async function makeEveryCall(client: PlatformClient, pair: Pair, ana: Customer): Promise<string[]> {
  const { simulator } = pair
  const { id: phoneId, wabaId: businessId, token: accessToken } = simulator.phone
  const access = { apiVersion: DEFAULT_GRAPH_VERSION, accessToken }
  const number = { ...access, phoneId }
  const business = { ...access, businessId }
  const app = { id: SIMULATED_APP, secret: simulator.appSecret }
  const to = ana.waId ?? ''
  const hello = await ana.says('Hi')
  const publicKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
    type: 'spki',
    format: 'pem',
  })
  const made: Record<string, string> = {}
  const added = () => ({ ...access, phoneId: made['number'] ?? '' })
  const flow = (name: string) => ({ ...access, flowId: made[name] ?? '' })
  const calls: { [Name in keyof Calls]: () => Promise<unknown> } = {
    inspectToken: () => client.inspectToken({ ...access, app }),
    exchangeCode: () =>
      client.exchangeCode({
        apiVersion: access.apiVersion,
        app,
        code: simulator.issueCode(phoneId),
        redirectUri: null,
      }),
    listPhoneNumbers: () => client.listPhoneNumbers(business),
    getPhoneNumber: () => client.getPhoneNumber(number),
    getBusinessFacts: () => client.getBusinessFacts(business),
    getMarketingStatus: () => client.getMarketingStatus(business),
    getFundingId: () => {
      simulator.addPhone({ id: phoneId, fundingId: '77' })
      return client.getFundingId(business)
    },
    optOutOfCreativeChanges: () => {
      simulator.addPhone({ id: phoneId, marketingStatus: 'ONBOARDED' })
      return client.optOutOfCreativeChanges(business)
    },
    subscribeApp: () => client.subscribeApp(business),
    listSubscribedApps: () => client.listSubscribedApps(business),
    unsubscribeApp: () => client.unsubscribeApp(business),
    setCallback: () => client.setCallback({ ...number, callback: null }),
    setStorageRegion: () => {
      simulator.addPhone({ id: phoneId, status: 'DISCONNECTED' })
      return client.setStorageRegion({ ...number, region: 'DE' })
    },
    registerNumber: () => client.registerNumber({ ...number, pin: '271828' }),
    addPhoneNumber: async () => {
      made['number'] = await client.addPhoneNumber({
        ...business,
        number: { callingCode: '49', nationalNumber: '30901820', verifiedName: 'Corner Bakery' },
      })
    },
    requestCode: () => client.requestCode({ ...added(), method: 'sms', language: 'en_US' }),
    verifyCode: () => client.verifyCode({ ...added(), code: SIMULATED_CODE }),
    requestPhoneAppData: () => {
      simulator.addPhone({ id: added().phoneId, isOnBizApp: true })
      return client.requestPhoneAppData({ ...added(), data: 'contacts' })
    },
    getProfile: () => client.getProfile(number),
    setProfile: () => client.setProfile({ ...number, fields: { about: 'We are here.' } }),
    controlThread: () =>
      client.controlThread({
        ...number,
        address: { to },
        control: { action: 'take' },
        metadata: 'mine',
      }),
    getRoutingRoles: () => client.getRoutingRoles(number),
    uploadToApp: () => client.uploadToApp({ ...access, appId: SIMULATED_APP, file: PICTURE }),
    setFlowKey: () => client.setFlowKey({ ...number, publicKey: String(publicKey) }),
    getFlowKey: () => client.getFlowKey(number),
    sendMessage: () =>
      client.sendMessage({
        ...number,
        payload: { messaging_product: 'whatsapp', to, type: 'text', text: { body: 'Hello' } },
      }),
    markRead: () => client.markRead({ ...number, waMessageId: hello.id, isTyping: true }),
    uploadMedia: async () =>
      (made['media'] = await client.uploadMedia({ ...number, file: PICTURE })),
    getMedia: async () => {
      const { url } = await client.getMedia({ ...number, mediaId: made['media'] ?? '' })
      made['url'] = url
    },
    openMedia: async () => {
      const file = await client.openMedia({ ...number, url: made['url'] ?? '', maxBytes: 10 })
      await Array.fromAsync(file.bytes)
    },
    blockUser: () => client.blockUser({ ...number, user: to, isBlocked: true }),
    getCallPermission: () => client.getCallPermission({ ...number, customer: { phone: to } }),
    getCallingSettings: () => client.getCallingSettings({ ...number, withPassword: false }),
    setCallingSettings: () =>
      client.setCallingSettings({ ...number, calling: { status: 'ENABLED' } }),
    createLink: async () => {
      made['link'] = (await client.createLink({ ...number, message: 'Hello' })).code
    },
    listLinks: () => client.listLinks(number),
    updateLink: () => client.updateLink({ ...number, code: made['link'] ?? '', message: 'Hi' }),
    deleteLink: () => client.deleteLink({ ...number, code: made['link'] ?? '' }),
    getConversationStarters: () => client.getConversationStarters(number),
    setConversationStarters: () =>
      client.setConversationStarters({
        ...number,
        starters: { isWelcomeEnabled: false, prompts: ['Where are you?'], commands: [] },
      }),
    getCommerce: () => client.getCommerce(number),
    setCommerce: () =>
      client.setCommerce({ ...number, commerce: { hasCart: true, showsCatalog: false } }),
    setUsername: () => client.setUsername({ ...number, username: 'acme.shop' }),
    getUsername: () => client.getUsername(number),
    createFlow: async () => {
      made['flow'] = await client.createFlow({ ...business, ...FLOW, name: 'First' })
      made['draft'] = await client.createFlow({ ...business, ...FLOW, name: 'Second' })
    },
    listFlows: () => client.listFlows(business),
    updateFlow: () => client.updateFlow({ ...flow('flow'), ...FLOW, name: 'Renamed' }),
    setFlowEndpoint: () =>
      client.setFlowEndpoint({ ...flow('draft'), endpointUri: 'https://flows.example.com/' }),
    uploadFlowJson: () => client.uploadFlowJson({ ...flow('flow'), json: FLOW_JSON }),
    getFlow: () => client.getFlow(flow('flow')),
    getFlowPreview: () => client.getFlowPreview({ ...flow('flow'), isRenewed: false }),
    getFlowJsonUrl: () => client.getFlowJsonUrl(flow('flow')),
    publishFlow: () => client.publishFlow(flow('flow')),
    deprecateFlow: () => client.deprecateFlow(flow('flow')),
    deleteFlow: () => client.deleteFlow(flow('draft')),
    createTemplate: async () => {
      const created = await client.createTemplate({ ...business, template: TEMPLATE })
      await simulator.review(created.id, { event: 'APPROVED' })
      made['template'] = created.id
    },
    listTemplates: () => client.listTemplates(business),
    editTemplate: () =>
      client.editTemplate({
        ...access,
        templateId: made['template'] ?? '',
        changes: { components: [{ type: 'BODY', text: 'Hello again.' }] },
      }),
    archiveTemplate: async () => {
      const call = { ...business, templateId: made['template'] ?? '' }
      simulator.templatesOf().forEach((template) => Object.assign(template, { status: 'APPROVED' }))
      expect(await client.archiveTemplate({ ...call, isArchived: true })).toBeNull()
      expect(await client.archiveTemplate({ ...call, isArchived: false })).toBeNull()
    },
    deleteTemplate: () => client.deleteTemplate({ ...business, name: 'hello', templateId: null }),
  }
  for (const call of Object.values(calls)) await call()
  return Object.keys(calls)
}

/** Calls to hosts whose paths have no version. */
const UNVERSIONED = new Set<string>(['media_bytes', 'template_archive'])

test('every call of the client is accepted with the default version of the Graph API', async () => {
  await using pair = await startPair({ enforceWindow: true })
  const { simulator } = pair
  const client = createPlatformClient({ baseUrl: simulator.url, nowMs: Date.now })
  simulator.shareNumber()
  const made = await makeEveryCall(client, pair, simulator.customer())
  const known = Object.keys(client).filter((name) => name !== 'close')
  expect(made.toSorted()).toEqual(known.toSorted())
  client.close()
  expect(simulator.calls.length).toBeGreaterThanOrEqual(made.length)
  expect(simulator.unexpected).toEqual([])
  for (const { route, version, answer } of simulator.calls)
    expect({ route, version, status: answer?.status }).toEqual({
      route,
      version: UNVERSIONED.has(route) ? undefined : 'v25.0',
      status: 200,
    })
})
