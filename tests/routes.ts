/** Prints the map of all routes: method, path, permission, file. */
import { printedMap, routeMap } from './support/route-map'
import { World } from './support/world'

const world = await World.create()
process.stdout.write(`${printedMap(routeMap(world.program))}\n`)
await world.stop()
