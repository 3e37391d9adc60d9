/** Which addresses belong to the public internet. Everything else may be the person's own machine or network. */
import { BlockList, isIP } from 'node:net';

/** IPv4 blocks that are not globally reachable: the IANA special-purpose registry, multicast and reserved. */
const SPECIAL_4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** The one block that global IPv6 addresses are given from (RFC 4291), so that everything else is refused. */
const GLOBAL_6 = ['2000::/3'];
/** In it: protocol assignments with Teredo, documentation (two), and 6to4, which carries IPv4 addresses. */
const SPECIAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const special4 = blocks(SPECIAL_4, 'ipv4');
const global6 = blocks(GLOBAL_6, 'ipv6');
const special6 = blocks(SPECIAL_6, 'ipv6');

/** Whether an IP address is a public one; false for what is no address. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special4.check(address, 'ipv4');
    case 6:
      return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
    default:
      return false;
  }
}

function blocks(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
