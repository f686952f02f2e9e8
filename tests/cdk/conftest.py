"""The CDK's libraries run on the Node.js that the extra brings, also where a test imports them first."""

from warmroute_cdk.node import use_bundled_node

use_bundled_node()
