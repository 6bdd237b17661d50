import { stopOnSignal } from '../../src/stop-on-signal'
import { startCells } from './two-cells'

const { text, stop } = await startCells()
stopOnSignal(stop)
process.stdout.write(text)
