// npm run mock [-- PORT [SCENE]]: the page without the simulator.
import { MockServer } from './server';

const server = new MockServer(process.argv[3]);
const port = await server.listen(Number(process.argv[2] ?? 8098));
console.log(`mock of the simulator: http://127.0.0.1:${port}/`);
