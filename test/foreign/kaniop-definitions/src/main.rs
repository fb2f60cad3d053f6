// Prints the definitions of kaniop's kinds, which its crates have as types.
use kube::CustomResourceExt;

fn main() {
    let definitions = [
        kaniop_operator::kanidm::crd::Kanidm::crd(),
        kaniop_group::crd::KanidmGroup::crd(),
        kaniop_oauth2::crd::KanidmOAuth2Client::crd(),
        kaniop_person::crd::KanidmPersonAccount::crd(),
        kaniop_service_account::crd::KanidmServiceAccount::crd(),
    ];
    for definition in definitions {
        println!("---\n{}", serde_json::to_string(&definition).expect("a definition is JSON"));
    }
}
